import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions that run on the actor that owns them.
@Suite(.limited) struct ActorOwnerTests {
  private let clock = VirtualClock(settlingTimeout: .seconds(60))

  @Test func `An action runs on its owner`() async {
    let (scheduler, cache) = (TimerScheduler(clock: clock), Cache())
    scheduler.schedule(.every(1), owner: cache) { (cache: isolated Cache, _) in cache.count += 1 }
    scheduler.schedule(.every(1), owner: cache, timeout: .seconds(10)) { (cache: isolated Cache, _) in
      cache.count += 10
    }
    await clock.advance(by: .seconds(5))
    #expect(await cache.count == 55)
  }

  @Test(arguments: 0..<50) func `No run begins once the owner has cancelled the timer`(round: Int) async {
    let (scheduler, cache, runs) = (TimerScheduler(), Cache(), Journal<Void>())
    let timer = scheduler.schedule(.every(.microseconds(200)), owner: cache) { (cache: isolated Cache, _) in
      cache.count += 1
      runs.note()
    }
    await runs.next()
    let count = await cache.cancel(timer)
    await timer.cancelAndWait()
    #expect(await cache.count == count)
  }

  @Test func `The timer ends with its owner`() async {
    let scheduler = TimerScheduler(clock: clock)
    var cache: Cache? = Cache()
    let timer = scheduler.schedule(.every(1), owner: cache!) { (cache: isolated Cache, _) in cache.count += 1
    }
    await clock.advance(by: .seconds(2))
    cache = nil
    await clock.advance(by: .seconds(3))
    #expect(timer.state == .finished(.ownerReleased))
  }
}

private actor Cache {
  var count = 0

  func cancel(_ timer: ScheduledTimer) -> Int {
    timer.cancel()
    return count
  }
}
