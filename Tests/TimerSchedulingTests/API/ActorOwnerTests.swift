import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions that run on the actor that owns them.
@Suite(.limited, .guarantee("G67")) struct ActorOwnerTests {
  private let clock = VirtualClock(settlingTimeout: .seconds(60))

  @Test func `An action runs on its owner, whichever method makes it`() async {
    let (scheduler, cache) = (TimerScheduler(clock: clock), Cache())
    scheduler.schedule(.every(1), owner: cache) { cache, _ in cache.count += 1 }
    scheduler.schedule(.every(1), owner: cache, timeout: .seconds(10)) { (cache: isolated Cache, _) in
      cache.count += 10
    }
    scheduler.schedule(every: .seconds(1), owner: cache) { cache, _ in cache.count += 100 }
    scheduler.schedule(every: 1, owner: cache) { cache, _ in cache.count += 1_000 }
    scheduler.schedule(after: .seconds(1), owner: cache) { cache, _ in cache.count += 10_000 }
    scheduler.schedule(after: 1, owner: cache) { cache, _ in cache.count += 100_000 }
    scheduler.schedule(at: clock.date + 1, owner: cache) { cache, _ in cache.count += 1_000_000 }
    await clock.advance(by: .seconds(5))
    #expect(await cache.count == 1_115_555)
  }

  @Test func `An action marked with another actor runs there, and gets its owner, too`() async {
    let (scheduler, cache, actors) = (TimerScheduler(clock: clock), Cache(), Journal<Bool>())
    scheduler.schedule(.after(1), owner: cache) { @MainActor (owner: Cache, _: TimerTick) in
      MainActor.assertIsolated()
      actors.note(owner === cache)
    }
    await clock.advance(by: 1)
    #expect(actors.entries == [true])
  }

  @Test(arguments: 0..<50) func `No run begins once the owner has cancelled the timer`(round: Int) async {
    let (scheduler, cache, runs) = (TimerScheduler(), Cache(), Journal<Void>())
    let timer = scheduler.schedule(.every(.microseconds(200)), owner: cache) { cache, _ in
      cache.count += 1
      runs.note()
    }
    await runs.next()
    let count = await cache.cancel(timer)
    await timer.cancelAndWait()
    #expect(await cache.count == count)
  }
}

private actor Cache {
  var count = 0

  func cancel(_ timer: ScheduledTimer) -> Int {
    timer.cancel()
    return count
  }
}
