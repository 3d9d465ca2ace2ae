import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions that run on the actor that owns them.
@Suite(.limited, .guarantee("G56")) struct ActorOwnerTests {
  private let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)

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

  // Fails if the compiler converts the closure to one that begins on the owner.
  @MainActor @Test(.guarantee("G26"))
  func `An action on the main actor doesn't run after the main actor has cancelled its timer`() async {
    var lateCount = 0
    for _ in 0..<200 {
      let (scheduler, cache, isCancelled) = (TimerScheduler(clock: clock), Cache(), Counter())
      let late = Counter()
      let timer = scheduler.schedule(every: 1, owner: cache) { @MainActor (_: Cache, _) in
        if isCancelled.count > 0 { late.count += 1 }
      }
      async let moved: Void = clock.advance(by: .seconds(1))
      for _ in 0..<Int.random(in: 0..<10) { await Task.yield() }
      timer.cancel()
      isCancelled.count += 1
      await moved
      await timer.cancelAndWait()
      lateCount += late.count
    }
    #expect(lateCount == 0)
  }

  @Test(.guarantee("G49"))
  func `All forms for a closure on the main actor begin there`() async {
    let isolations = Journal<String>()
    let (scheduler, owner) = (makeScheduler(noting: isolations), Cache())
    let action: @MainActor @Sendable (Cache, TimerTick) async throws -> Void = { _, _ in
      MainActor.assertIsolated()
    }
    scheduler.schedule(.after(1), owner: owner, perform: action)
    scheduler.schedule(every: .seconds(1), limit: 1, owner: owner, perform: action)
    scheduler.schedule(every: 1, limit: 1, owner: owner, timeout: .seconds(9), perform: action)
    scheduler.schedule(after: .seconds(1), owner: owner, perform: action)
    scheduler.schedule(after: 1, owner: owner, perform: action)
    scheduler.schedule(at: clock.date + 1, owner: owner, perform: action)
    await clock.advance(by: .seconds(1))
    #expect(isolations.entries == Array(repeating: "MainActor", count: 6))
  }

  // Fails if the interceptor of such an action runs on no actor.
  @Test(.guarantee("G54"), arguments: [nil, Duration.seconds(10)])
  func `An interceptor runs on the owner that the action is isolated to`(timeout: Duration?) async {
    let isolations = Journal<String>()
    let (scheduler, owner) = (makeScheduler(noting: isolations), Cache())
    scheduler.schedule(.after(1), owner: owner, timeout: timeout) { owner, _ in owner.count += 1 }
    await clock.advance(by: .seconds(1))
    #expect(isolations.entries == ["Cache"])
    #expect(await owner.count == 1)
  }

  /// Makes a scheduler whose interceptor notes the actor on which it runs.
  private func makeScheduler(noting isolations: Journal<String>) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.interceptor = { _, body in
      isolations.note(Self.name(#isolation))
      try await body()
    }
    return TimerScheduler(clock: clock, configuration: configuration)
  }

  private static func name(_ isolation: (any Actor)?) -> String {
    isolation.map { "\(type(of: $0))" } ?? "none"
  }

  @Test(.guarantee("G49")) func `An action that a scheduler owns stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TimerScheduler()
      scheduler.schedule(.every(1), owner: scheduler) { _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      let scheduler = TimerScheduler()
      scheduler.schedule(.every(1), owner: TimerScheduler()) { _, _ in }
    }
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

@MainActor private final class Counter {
  var count = 0
}

private actor Cache {
  var count = 0

  func cancel(_ timer: ScheduledTimer) -> Int {
    timer.cancel()
    return count
  }
}
