import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Sleeps and time limits, which are waits of tasks and not timers of the scheduler.
@Suite(.limited) struct WaitTests: VirtualTimeSuite {
  let time = VirtualTime.reporting()

  /// A sleep of 20 seconds and an operation with a limit of five seconds. Each returns its end and its error.
  private func makeWaits(on scheduler: TimerScheduler) -> [Task<String, Never>] {
    let begin = clock.date
    @Sendable func outcome(_ operation: @Sendable () async throws -> Void) async -> String {
      var outcome = "ended"
      do { try await operation() } catch { outcome = "\(type(of: error))" }
      return "\(outcome) after \(Int(clock.date.timeIntervalSince(begin)))"
    }
    let sleep = clock.addTask { await outcome { try await scheduler.sleep(for: .seconds(20)) } }
    let limit = clock.addTask { [clock] in
      await outcome {
        try await withTimeout(.seconds(5), on: scheduler) { try await clock.sleep(for: .seconds(100)) }
      }
    }
    return [sleep, limit]
  }

  private enum BulkCall: CaseIterable {
    case cancel, pause, pauseAndResume, pauseAndResumeAtOnce, ofOwner
  }

  // Fails if a sleep or a limit is a timer.
  @Test(.guarantee("G103"), arguments: BulkCall.allCases)
  private func `No call for all timers reaches a sleep or a limit`(call: BulkCall) async throws {
    let (waits, owner) = (makeWaits(on: scheduler), TimerOwner())
    await clock.waitForSleepers(2)
    await advance(1)
    switch call {
    case .cancel: await scheduler.cancelAll()
    case .pause: await scheduler.pauseAll()
    case .pauseAndResume:
      await scheduler.pauseAll()
      await scheduler.resumeAll()
    case .pauseAndResumeAtOnce:
      await scheduler.pauseAll()
      await scheduler.resumeAll(.immediately)
    case .ofOwner:
      await scheduler.pauseAll(owner: owner)
      await scheduler.resumeAll(.immediately, owner: owner)
      await scheduler.cancelAll(owner: owner)
    }
    await advance(100)
    for (task, outcome) in zip(waits, ["ended after 20", "TimeoutError after 5"]) {
      #expect(await task.value == outcome)
    }
    #expect(lines.entries.isEmpty)
  }

  @Test(.guarantee("G103")) func `No list, statistic or observer includes a sleep or a limit`() async throws {
    let events = Journal<TimerEvent>()
    var configuration = TimerScheduler.Configuration()
    configuration.observer = Observer(events: events)
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let waits = makeWaits(on: scheduler)
    await clock.waitForSleepers(2)
    #expect(await scheduler.snapshots.isEmpty)
    #expect(scheduler.description.hasSuffix(", 0 timers"))
    #expect(await scheduler.statistics.activeCount == 0)
    #expect(scheduler.entryCount == 2)
    await advance(100)
    for task in waits { _ = await task.value }
    let statistics = await scheduler.statistics
    #expect(statistics.totals == [0, 0, 0])
    #expect(statistics.lateness.max == .zero)
    await scheduler.shutdownAndWait()
    #expect(events.entries.isEmpty)
  }

  private struct Observer: TimerObserver {
    let events: Journal<TimerEvent>

    func observe(_ event: TimerEvent) { events.note(event) }
  }

  // MARK: The shutdown

  // seconds      0     1     2     3     4     5
  // shutdown                 |
  // sleep        [===========]                    CancellationError
  // limits       [                 |     |     |  TimeoutError
  @Test(.guarantee("G104")) func `A shutdown ends sleeps, and limits go on`() async throws {
    let ends = Journal<String>()
    @Sendable func note(_ name: String, _ operation: @Sendable () async throws -> Void) async {
      do {
        try await operation()
        ends.note("\(name) ended")
      } catch {
        ends.note("\(name) \(type(of: error)) \(Int(clock.date.timeIntervalSince(start)))")
      }
    }
    scheduler.schedule(.after(.zero), timeout: .seconds(5)) { [clock] _ in
      await note("run") { try await clock.sleep(for: .seconds(100)) }
    }
    scheduler.schedule(.after(.zero)) { [clock, scheduler] _ in
      await note("sleep") { try await scheduler.sleep(for: .seconds(100)) }
      #expect(scheduler.timer(on: .every(1)).state == .finished(.schedulerShutDown))
      await note("later") {
        try await withTimeout(.seconds(2), on: scheduler) { try await clock.sleep(for: .seconds(100)) }
      }
    }
    let limited = clock.addTask { [clock, scheduler] in
      await note("limit") {
        try await withTimeout(.seconds(3), on: scheduler) { try await clock.sleep(for: .seconds(100)) }
      }
    }
    await advance(2)
    let shutdown = clock.addTask { [clock, scheduler] in
      await scheduler.shutdownAndWait()
      return clock.date
    }
    await advance(100)
    // The timeout of the run cancels it after five seconds, and then nothing is left to wait for.
    #expect(await shutdown.value == start + 5)
    await limited.value
    #expect(
      ends.entries == [
        "sleep CancellationError 2", "limit TimeoutError 3", "later TimeoutError 4",
        "run CancellationError 5",
      ])
    #expect(scheduler.entryCount == 0)
    #expect(lines.entries.isEmpty)
  }

  @Test(.guarantee("G104")) func `run(until:) and a scope end as the limits of their runs say`() async throws
  {
    let operations: [@Sendable (TimerScheduler) async throws -> Void] = [
      { scheduler in try await scheduler.run {} },
      { scheduler in await scheduler.shutdownAndWait() },
    ]
    for operation in operations {
      let (scheduler, begin) = (TimerScheduler(clock: clock, configuration: .silent), clock.date)
      scheduler.schedule(.after(.zero), timeout: .seconds(3)) { [clock] _ in
        try await clock.sleep(for: .seconds(100))
      }
      await advance(1)
      let end = clock.addTask { [clock] in
        try await operation(scheduler)
        return clock.date
      }
      await advance(10)
      #expect(try await end.value == begin + 3)
    }
  }

  @Test(.tags(.realClock), .guarantee("G104"))
  func `A limit holds after a shutdown in real time, and then releases the scheduler`() async {
    weak var driver: TimerDriver?
    let (begun, releases) = (Latch(), Journal<Void>())
    let begin = ContinuousClock.now
    do {
      var configuration = TimerScheduler.Configuration { releases.note() }
      configuration.printsFailures = false
      let scheduler = TimerScheduler(configuration: configuration)
      driver = scheduler.driver
      scheduler.schedule(.after(.zero), timeout: .milliseconds(20)) { _ in
        begun.open()
        try await Task.sleep(for: .seconds(3_600))
      }
      await begun.wait()
      await scheduler.shutdownAndWait()
      #expect(ContinuousClock.now - begin >= .milliseconds(20))
    }
    await releases.next()
    let isReleased = driver == nil
    #expect(isReleased)
  }

  // MARK: Races

  private final class Resource: Sendable {}

  // Fails if the call of a rule by a loop isn't work that a shutdown awaits.
  @Test(.tags(.threads, .realClock), .guarantee("G105"))
  func `When a shutdown that waits has returned, the rule of a loop is released`() async {
    var aliveCount = 0
    for round in 0..<rounds(500) {
      let (scheduler, asked) = (TimerScheduler(), Latch())
      weak var resource: Resource?
      let loop: Task<Void, Never>
      do {
        let captured = Resource()
        resource = captured
        let rule = Answering { date in
          asked.open()
          Self.spin(for: .microseconds(300))
          // From the present, as a rule that is slower than its dates would fall further behind with each
          // query.
          return withExtendedLifetime(captured) { max(date, Date()) + 0.000_05 }
        }
        let firings = scheduler.firings(on: .rule(rule))
        loop = Task { for await _ in firings {} }
      }
      await asked.wait()
      Self.spin(for: .microseconds(round % 100 * 20))
      await scheduler.shutdownAndWait()
      if resource != nil { aliveCount += 1 }
      await loop.value
    }
    #expect(aliveCount == 0)
  }

  private static func spin(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
  }

  /// Sleeps and limits that end, are cancelled and are shut down at one time, by several threads.
  @Test(.tags(.threads, .realClock), .guarantee("G10"), .guarantee("G104"))
  func `Of a sleep's end, its cancellation and a shutdown, one counts, and nothing is left`() async {
    for round in 0..<rounds(400) {
      let scheduler = TimerScheduler()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            let task = Task {
              let wait = Duration.microseconds(50 + number * 5)
              if number.isMultiple(of: 2) { return try await scheduler.sleep(for: wait) }
              try await withTimeout(wait, on: scheduler) { try await Task.sleep(for: .seconds(3_600)) }
            }
            if number.isMultiple(of: 4) || number % 4 == 3 {
              Self.spin(for: .microseconds(40 + round % 60))
              task.cancel()
            }
            do {
              try await task.value
            } catch {
              #expect(error is CancellationError || error is TimeoutError)
            }
          }
        }
        group.addTask {
          Self.spin(for: .microseconds(30 + round % 80))
          scheduler.shutdown()
        }
      }
      await scheduler.shutdownAndWait()
      await scheduler.waitForQueue()
      #expect(scheduler.entryCount == 0)
    }
  }
}
