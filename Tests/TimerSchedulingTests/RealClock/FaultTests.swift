import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Threads that block, and last references that go while timers fire.
@Suite(.tags(.realClock), .limited)
struct FaultTests {
  private static let interval = Duration.milliseconds(20)

  // MARK: Blocked threads

  // deadlines  |----|----|----|----|----|----|----|
  // blocked    x    x====[ its thread waits ]x    x
  // other               x    x    x    x
  @Test(.guarantee("G113"), arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `A consumer that blocks its thread delays no other, and misses ticks by its own behavior`(
    behavior: MissedTickBehavior
  ) async throws {
    let scheduler = TimerScheduler()
    let timer = scheduler.timer(on: .every(Self.interval).missedTicks(behavior).limit(25))
    var other: Task<[TimerTick], Never>?
    var ticks: [TimerTick] = []
    var end = Date.distantFuture
    for await tick in timer.firings {
      ticks.append(tick)
      guard ticks.count == 3 else { continue }
      let letGo = DispatchSemaphore(value: 0)
      other = Task(executorPreference: OwnThread()) {
        let ticks = await Self.listen(to: scheduler)
        letGo.signal()
        return ticks
      }
      // Until the other has had its ticks.
      letGo.wait()
      end = Date()
    }
    #expect(await other?.value.count == 15)
    try #require(ticks.count == 25)
    // Fourteen deadlines passed at least, and one of them is the tick's own.
    let (late, next) = (ticks[3], ticks[4])
    #expect(behavior == .burst ? late.missedCount == 0 : late.missedCount >= 13)
    switch behavior {
    case .skip, .burst: expectGrid(of: ticks)
    // Counted from the moment when the late tick was taken, half an interval after a deadline of the grid.
    case .delay: #expect(next.scheduledDate >= end + 0.75 * 0.02 + 0.02 * Double(next.missedCount))
    }
  }

  @Test(.hazard("M1")) func `Ticks come while the main thread is busy`() async {
    let (begun, letGo) = (Journal<Bool>(), DispatchSemaphore(value: 0))
    let main = Task { @MainActor in
      begun.note(true)
      letGo.wait()
    }
    _ = await begun.next()
    var count = 0
    for await _ in TimerScheduler().ticks(every: .milliseconds(5), limit: 3) { count += 1 }
    letGo.signal()
    await main.value
    #expect(count == 3)
  }

  @Test(.guarantee("G112"))
  func `While all of Swift's threads are blocked, timers fire to others, and actions run`() async {
    await #expect(processExitsWith: .success) {
      // The time limit doesn't end a child that waits for ever.
      alarm(1200)
      let blockade = Blockade()
      let scheduler = TimerScheduler()
      let runs = Journal<TimerTick>()
      let (start, startDate) = (ContinuousClock.now, Date())
      // Its action runs on a thread of the package's own.
      scheduler.schedule(.every(Self.interval)) { runs.note($0) }
      // Its listener, a plain task, can't begin yet.
      let unheard = scheduler.timer(on: .every(Self.interval))
      await Task(executorPreference: OwnThread()) {
        async let ofMainActor = { @MainActor in await Self.listen(to: scheduler) }()
        let stream = scheduler.ticks(every: Self.interval, limit: 15)
        async let dates: [Date] = stream.reduce(into: []) { $0.append($1) }
        let ofTask = await Self.listen(to: scheduler)
        for ticks in [ofTask, await ofMainActor] {
          #expect(ticks.count == 15)
          #expect(ticks.allSatisfy { $0.lateness >= .zero })
          expectGrid(of: ticks)
        }
        #expect(await dates.count == 15)
        #expect(await dates == dates.sorted())
        #expect(ContinuousClock.now - start >= Self.interval * 15)
        await runs.next(10)
        expectGrid(of: Array(runs.entries.prefix(10)))
        #expect(blockade.isComplete)
        blockade.lift()
      }.value

      // The deadlines that passed meanwhile were counted.
      var ticks: [TimerTick] = []
      for await tick in unheard.firings.prefix(4) { ticks.append(tick) }
      #expect(ticks[0].missedCount >= 14)
      #expect(intervals(from: startDate, to: ticks[0].scheduledDate) >= ticks[0].missedCount + 1)
      expectGrid(of: ticks)
    }
  }

  private static func listen(to scheduler: TimerScheduler) async -> [TimerTick] {
    var ticks: [TimerTick] = []
    let schedule = TimerSchedule.every(interval, starting: .after(interval / 2)).limit(15)
    for await tick in scheduler.timer(on: schedule).firings { ticks.append(tick) }
    return ticks
  }

  @Test(.tags(.threads), .hazard("M7"), .guarantee("G115"))
  func `A scheduler whose last reference goes while it fires is released, its source balanced`() async {
    await #expect(processExitsWith: .success) {
      alarm(1200)
      let events = Journal<WatchedClock.Event>()
      let count = rounds(2_000)
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            for round in 0..<count {
              let way = (worker + round) % 4
              await Self.leave(way: way, after: .microseconds(round % 97)) { events.note($0) }
            }
          }
        }
      }
      // If a scheduler isn't released, this waits until the alarm.
      var counts: [WatchedClock.Event: Int] = [:]
      while let event = await events.next() {
        counts[event, default: 0] += 1
        if counts[.released] == 4 * count, counts[.sourceMade] == counts[.sourceCancelled] { break }
      }
    }
  }

  /// Drops the last reference to a scheduler around the time at which its timers fire: with streams that no
  /// task has iterated, while timers end by themselves, after a loop, or from an action.
  private static func leave(
    way: Int, after pause: Duration, _ report: @escaping @Sendable (WatchedClock.Event) -> Void
  ) async {
    let clock = WatchedClock(report: report)
    let scheduler = TimerScheduler(configuration: .init(), clock: clock, jitterSeed: 0)
    var streams: [AsyncStream<Date>] = []
    switch way {
    case 0:
      let starts = [TimerSchedule.Start.afterInterval, .aligned]
      streams = starts.map { scheduler.ticks(every: .microseconds(10), starting: $0) }
    case 1:
      scheduler.schedule(.after(pause)) { _ in }
      streams = [scheduler.ticks(on: .at(Date() + pause / .seconds(1)))]
    case 2:
      for await _ in scheduler.ticks(every: .microseconds(10)).prefix(3) {}
    default:
      let box = Box<TimerScheduler>()
      box.value = scheduler
      scheduler.schedule(.every(.microseconds(10)).limit(3)) { if $0.index == 2 { box.value = nil } }
    }
    for await _ in TimerScheduler.shared.ticks(on: .after(pause)) {}
    withExtendedLifetime((scheduler, streams)) {}
  }
}

private func expectGrid(of ticks: [TimerTick]) {
  for (tick, next) in zip(ticks, ticks.dropFirst()) {
    #expect(intervals(from: tick.scheduledDate, to: next.scheduledDate) == next.missedCount + 1)
  }
}

/// Rounds, as the two clocks aren't read in one step.
private func intervals(from date: Date, to later: Date) -> Int {
  Int((later.timeIntervalSince(date) / 0.02).rounded())
}

/// The system's clock, which reports the end of the scheduler that has it, and of its sources.
private final class WatchedClock: SchedulerClock {
  enum Event { case sourceMade, sourceCancelled, released }

  private let report: @Sendable (Event) -> Void

  init(report: @escaping @Sendable (Event) -> Void) { self.report = report }

  deinit { report(.released) }

  func read() -> ClockReading {
    ClockReading(
      monotonic: Deadline(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)), wall: Deadline(Date()))
  }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    report(.sourceMade)
    return DispatchWakeupSource(on: timeline, queue: executor.queue, onWakeup: onWakeup) { [report] in
      report(.sourceCancelled)
    }
  }
}
