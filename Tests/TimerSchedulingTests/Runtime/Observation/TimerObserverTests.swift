import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The events that an observer receives, and their order.
@Suite(.tags(.threads), .limited, .guarantee("G61")) struct TimerObserverTests {
  private let clock: VirtualClock
  private let log = Journal<TimerEvent>()
  private let scheduler: TimerScheduler

  init() {
    clock = VirtualClock()
    scheduler = TimerScheduler(clock: clock, configuration: .init(observer: log))
  }

  private struct Failure: Error, CustomStringConvertible {
    let description = "no answer"
  }

  /// The events that the observer had received when the scheduler was shut down.
  private func lines() async -> [String] {
    await scheduler.shutdownAndWait()
    return log.lines
  }

  @Test func `A timer is followed from its beginning to its end`() async {
    let timer = scheduler.schedule(.every(1), name: "a") { _ in }
    await clock.advance(by: .seconds(2))
    timer.pause()
    timer.pause()
    await clock.advance(by: .seconds(2))
    timer.resume()
    timer.resume()
    timer.reschedule(.every(3))
    await clock.advance(by: .seconds(3))
    timer.fire()
    await clock.advance(by: .seconds(0))
    timer.cancel()
    timer.cancel()
    timer.reschedule(.every(1))
    #expect(
      await lines() == [
        "a scheduled", "a tick 0", "a tick 1", "a paused", "a resumed", "a rescheduled", "a tick 2",
        "a tick 3",
        "a finished: cancelled",
      ])
  }

  @Test(.guarantee("G69"))
  func `When the clock has moved, the observer has received every event of the move`() async {
    scheduler.schedule(.every(1), name: "a") { _ in }
    await clock.advance(by: .seconds(3))
    #expect(log.lines == ["a scheduled", "a tick 0", "a tick 1", "a tick 2"])
  }

  @Test func `A timer that only waits is followed, too`() async {
    let timer = scheduler.timer(on: .after(10), name: "a")
    timer.reschedule(.after(20))
    timer.cancel()
    timer.reschedule(.after(30))
    #expect(await lines() == ["a scheduled", "a rescheduled", "a finished: cancelled"])
  }

  @Test func `A countdown keeps its schedule, so it isn't told that it was given another`() async throws {
    let countdown = scheduler.countdown(from: .seconds(3), name: "a")
    try #require(scheduler.timer(named: "a")).reschedule(.every(1))
    countdown.cancel()
    #expect(await lines() == ["a scheduled", "a finished: cancelled"])
  }

  @Test func `Each reason for an end is told once`() async {
    do {
      let owner = TimerOwner()
      scheduler.schedule(.every(1), name: "owned", owner: owner) { _, _ in }
    }
    scheduler.schedule(.after(1), name: "once") { _ in }
    scheduler.schedule(.every(1), name: "failing", onError: .finish) { _ in throw Failure() }
    _ = scheduler.ticks(every: 1, name: "dropped")
    await clock.advance(by: .seconds(1))
    scheduler.schedule(.every(5), name: "replaced") { _ in }
    scheduler.schedule(.every(5), name: "replaced") { _ in }
    let all = await lines()
    func story(of name: String) -> [String] {
      all.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count + 1)) }
    }
    #expect(story(of: "owned") == ["scheduled", "finished: ownerReleased"])
    #expect(story(of: "once") == ["scheduled", "tick 0", "finished: completed"])
    #expect(story(of: "failing") == ["scheduled", "tick 0", "failed: no answer", "finished: failed"])
    #expect(story(of: "dropped") == ["scheduled", "finished: cancelled"])
    #expect(
      story(of: "replaced") == [
        "scheduled", "finished: replaced", "scheduled", "finished: schedulerShutDown",
      ])
  }

  @Test(.guarantee("G59")) func `An action that ends because it was cancelled hasn't failed`() async {
    let begun = Latch()
    let timer = scheduler.schedule(.after(1), name: "a") { _ in
      begun.open()
      try await Task.sleep(for: .seconds(1000))
    }
    let moving = Task { await clock.advance(by: .seconds(1)) }
    await begun.wait()
    timer.cancel()
    await moving.value
    #expect(await lines() == ["a scheduled", "a tick 0", "a finished: cancelled"])
    #expect(await scheduler.statistics.failureCount == 0)
    #expect(timer.failure == nil)
  }

  // Fails if the error counts that a sleep throws because the scheduler has shut down.
  @Test(.guarantee("G59")) func `An action whose sleep the shutdown ends hasn't failed`() async {
    let timers = [ActionErrorBehavior.keepTicking, .finish].map { onError in
      scheduler.schedule(.after(1), onError: onError) { [scheduler] _ in
        try await scheduler.sleep(for: .seconds(1000))
      }
    }
    await clock.advance(by: .seconds(1))
    await scheduler.shutdownAndWait()
    #expect(await lines().filter { $0.contains("failed") }.isEmpty)
    #expect(await scheduler.statistics.failureCount == 0)
    for timer in timers {
      #expect(timer.failure == nil)
      #expect(timer.state == .finished(.schedulerShutDown))
    }
  }

  @Test func `An action that throws CancellationError without having been cancelled has failed`() async {
    scheduler.schedule(.after(1), name: "a") { _ in throw CancellationError() }
    await clock.advance(by: .seconds(1))
    #expect(await lines().contains { $0.hasPrefix("a failed") })
    #expect(await scheduler.statistics.failureCount == 1)
  }

  @Test func `Missed deadlines are told with the tick after them, and once for all listeners`() async {
    let timer = scheduler.timer(on: .every(1), name: "a")
    var quick = timer.ticks.makeAsyncIterator()
    var slow = timer.ticks.makeAsyncIterator()
    await clock.advance(by: .seconds(3))
    _ = await quick.next()
    await clock.advance(by: .seconds(2))
    _ = await quick.next()
    _ = await slow.next()
    #expect(await lines().filter { $0.contains("tick") } == ["a tick 0 (2 missed)", "a tick 1 (1 missed)"])
    let statistics = await scheduler.statistics
    #expect(statistics.totals == [2, 3, 0])
  }

  @Test func `An event says when and for which timer`() async throws {
    let timer = scheduler.schedule(.every(1)) { _ in }
    await clock.advance(by: .seconds(1))
    await scheduler.shutdownAndWait()
    #expect(log.entries.allSatisfy { $0.timer == timer.id && $0.name == nil })
    guard case .ticked(let tick) = log.entries[1].kind else {
      Issue.record("\(log.lines)")
      return
    }
    #expect(tick.scheduledDate == Date(timeIntervalSinceReferenceDate: 1))
    #expect(tick.date == tick.scheduledDate)
  }

  @Test(.guarantee("G68")) func `The events of a scheduler that is released come all the same`() async {
    let releases = Journal<Void>()
    do {
      let probe = ReleaseProbe { releases.note() }
      var configuration = TimerScheduler.Configuration(observer: log)
      configuration.interceptor = { _, body in
        defer { withExtendedLifetime(probe) {} }
        try await body()
      }
      let scheduler = TimerScheduler(clock: clock, configuration: configuration)
      scheduler.schedule(.after(1), name: "last") { _ in }
    }
    await clock.advance(by: .seconds(1))
    await releases.next()
    #expect(log.lines == ["last scheduled", "last tick 0", "last finished: completed"])
  }

  /// Calls the closure that it is given.
  private final class Caller: TimerObserver {
    let scheduler = Box<TimerScheduler>()
    let second = Box<ScheduledTimer>()
    let log = Journal<TimerEvent>()

    func observe(_ event: TimerEvent) {
      log.observe(event)
      guard let scheduler = scheduler.value, let name = event.name else { return }
      switch event.kind {
      case .scheduled where name == "a":
        second.value = scheduler.schedule(.every(1), name: "b") { _ in }
      case .ticked where name == "b":
        second.value?.cancel()
      case .ticked(let tick) where name == "a" && tick.index == 1:
        // Replaces the timer of the event.
        scheduler.schedule(.after(1), name: name) { _ in }
        scheduler.shutdown()
      case .scheduled, .ticked, .paused, .resumed, .rescheduled, .actionFailed, .finished:
        break
      @unknown default:
        break
      }
    }
  }

  @Test(.guarantee("G67")) func `An observer may schedule, cancel and shut down`() async {
    let caller = Caller()
    let scheduler = TimerScheduler(
      clock: clock, configuration: .init(observer: caller))
    caller.scheduler.value = scheduler
    scheduler.schedule(.every(1), name: "a") { _ in }
    await clock.advance(by: .seconds(5))
    await scheduler.shutdownAndWait()
    let lines = caller.log.lines
    #expect(lines.first == "a scheduled")
    for line in ["b scheduled", "b finished: cancelled", "a tick 1", "a finished: replaced"] {
      #expect(lines.contains(line), "\(lines)")
    }
    #expect(lines.filter { $0 == "a finished: schedulerShutDown" }.count == 1, "\(lines)")
    caller.scheduler.value = nil
    caller.second.value = nil
  }
}
