import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Changes that an actor makes to its timer while a run waits for its turn on that actor.
@Suite(.tags(.realClock), .limited, .guarantee("G26", "G58")) struct HeldOffRunTests {
  enum Change: CaseIterable { case pause, reschedule, cancel, replace, scope }

  struct Kind: Sendable, CustomTestStringConvertible {
    var timeout: Duration?
    var isIntercepted: Bool

    static let all = [nil, Duration.seconds(60)].flatMap { timeout in
      [false, true].map { Kind(timeout: timeout, isIntercepted: $0) }
    }

    var testDescription: String {
      "\(timeout == nil ? "no timeout" : "a timeout"), \(isIntercepted ? "an interceptor" : "no interceptor")"
    }

    func makeScheduler() -> TimerScheduler {
      var configuration = TimerScheduler.Configuration.silent
      if isIntercepted { configuration.interceptor = { _, body in try await body() } }
      return TimerScheduler(configuration: configuration)
    }
  }

  // actor  ====[ busy     change ]=======
  // timer        |deadline
  // run          ........... none
  @Test(arguments: Kind.all, Change.allCases)
  func `A run that hasn't reached its owner is held off by a change on that owner`(
    kind: Kind, change: Change
  ) async {
    let scheduler = kind.makeScheduler()
    let owner = Owner()
    let timer = await owner.busyPastDeadline(on: scheduler, timeout: kind.timeout, change)
    // Runs that have begun by then end before this returns.
    await owner.waitForRuns(of: scheduler, timer)
    #expect(await owner.ticks.isEmpty)
    if change == .pause || change == .scope {
      // The tick is given back, with its number.
      timer.resume()
      await timer.waitUntilFinished()
      #expect(await owner.ticks.map(\.index) == [0])
      #expect(await owner.ticks.map(\.missedCount) == [0])
      #expect(await scheduler.statistics.tickCount == 1)
    }
    await scheduler.shutdownAndWait()
  }

  @Test(arguments: Kind.all, Change.allCases)
  @MainActor func `A run that hasn't reached the main actor is held off by a change on it`(
    kind: Kind, change: Change
  ) async {
    let scheduler = kind.makeScheduler()
    let ticks = Journal<TimerTick>()
    let owner = MainOwner()
    let timer = scheduler.schedule(.after(0.01), name: "a", owner: owner, timeout: kind.timeout) {
      @MainActor (_: MainOwner, tick) in ticks.note(tick)
    }
    await Task.yield()
    Owner.block()
    // Other tests may have kept the main actor until the action had run.
    let before = ticks.entries.count
    change.make(to: timer, on: scheduler, owner)
    for _ in 0..<20 { await Task.yield() }
    #expect(ticks.entries.count == before)
    if before == 0, change == .pause || change == .scope {
      timer.resume()
      await timer.waitUntilFinished()
      #expect(ticks.entries.map(\.index) == [0])
    }
    await scheduler.shutdownAndWait()
  }

  @Test(arguments: Kind.all) func `No run begins inside a pausing scope of the owner`(kind: Kind) async {
    let scheduler = kind.makeScheduler()
    let owner = Owner()
    #expect(await owner.begunInScope(on: scheduler, timeout: kind.timeout) == 0)
    await scheduler.shutdownAndWait()
  }

  @Test(arguments: Kind.all)
  @MainActor func `No run begins inside a pausing scope on the main actor`(kind: Kind) async {
    let scheduler = kind.makeScheduler()
    let (runs, owner) = (Counter(), MainOwner())
    let timer = scheduler.schedule(.every(0.01), owner: owner, timeout: kind.timeout) {
      @MainActor (_: MainOwner, _) in runs.add()
    }
    Owner.block()
    let before = runs.value
    let begun = await timer.withPaused {
      for _ in 0..<50 { await Task.yield() }
      return runs.value - before
    }
    #expect(begun == 0)
    await scheduler.shutdownAndWait()
    withExtendedLifetime(owner) {}
  }

  // use            |used
  // limit     |----|===|----|
  // idle                    x
  @Test(arguments: 0..<5) func `An idle timeout spares a connection that is busy over its limit`(round: Int)
    async throws
  {
    let scheduler = TimerScheduler()
    let log = Journal<(what: String, at: ContinuousClock.Instant)>()
    let timeout = await IdleTimeout(after: .milliseconds(20), on: scheduler) { log.note(("idle", .now)) }
    await timeout.work { log.note(($0 ? "used" : "late", $1)) }
    while log.entries.last?.what == "used" { _ = await log.next() }
    // A second action would come a limit later.
    try await scheduler.sleep(for: .milliseconds(50))
    await scheduler.shutdownAndWait()
    let entries = log.entries
    // On a slow machine the limit may be over before the work begins.
    if entries.contains(where: { $0.what == "late" }) { return }
    #expect(entries.map(\.what) == ["used", "idle"])
    #expect(entries.last.map { $0.at - entries[0].at >= .milliseconds(20) } == true)
  }
}

extension IdleTimeout {
  /// Works beyond the limit, and then uses the connection, without a suspension.
  ///
  /// Notes the moment before the use, as the thread may lose its processor after it.
  fileprivate func work(note: @Sendable (Bool, ContinuousClock.Instant) -> Void) {
    Owner.block()
    let now = ContinuousClock.now
    note(use(), now)
  }
}

extension HeldOffRunTests.Change {
  func make(to timer: ScheduledTimer, on scheduler: TimerScheduler, _ owner: some AnyObject & Sendable) {
    switch self {
    // A scope is as long as a pause here.
    case .pause, .scope: timer.pause()
    case .reschedule: timer.reschedule(.after(1000))
    case .cancel: timer.cancel()
    case .replace: _ = scheduler.timer(on: .after(1000), name: "a", owner: owner)
    }
  }
}

@MainActor private final class MainOwner {}

private actor Owner {
  private(set) var ticks: [TimerTick] = []

  /// Keeps the thread for long enough that a timer of 10 ms fires, and its run waits for the actor.
  static func block() { Thread.sleep(forTimeInterval: 0.04) }

  func busyPastDeadline(
    on scheduler: TimerScheduler, timeout: Duration?, _ change: HeldOffRunTests.Change
  ) -> ScheduledTimer {
    let timer = scheduler.schedule(.after(0.01), name: "a", owner: self, timeout: timeout) { owner, tick in
      owner.ticks.append(tick)
    }
    Self.block()
    change.make(to: timer, on: scheduler, self)
    return timer
  }

  func waitForRuns(of scheduler: TimerScheduler, _ timer: ScheduledTimer) async {
    while await scheduler.statistics.runningCount > 0 { await Task.yield() }
  }

  func begunInScope(on scheduler: TimerScheduler, timeout: Duration?) async -> Int {
    let timer = scheduler.schedule(.every(0.01), owner: self, timeout: timeout) { owner, tick in
      owner.ticks.append(tick)
    }
    Self.block()
    let before = ticks.count
    return await timer.withPaused {
      for _ in 0..<50 { await Task.yield() }
      return ticks.count - before
    }
  }
}
