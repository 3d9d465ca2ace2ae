import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Control in the cases that the simulation doesn't draw: jitter, countdowns, rules that are being asked, and
/// odd moments.
@Suite(.guarantee("G21", "G22", "G28", "G31", "G95")) struct TimerControlTests {
  typealias Row = TimerTick.Row

  /// Schedules that a pause moves. Their first deadline is after ten seconds.
  static let movable: [TimerSchedule] = [
    .every(10), .every(10, starting: .at(Workbench.date(10))), .counting(100_000),
    .every(10).tolerance(.seconds(3)).limit(1_000).until(.distantFuture),
  ]
  static let jittered = movable.prefix(2).map { $0.jitter(upTo: .seconds(4)) }
  static let repeating = movable + jittered + [.every(10, starting: .aligned), .rule(EverySeconds(10))]

  // The block of an entry has 120 bytes with it, which glibc frees without a lock.
  @Test func `A machine takes 69 bytes`() {
    #expect(MemoryLayout<TimerStateMachine>.size == 69)
  }

  // time     0         10        20        30
  // paused       [==========]
  @Test(
    arguments: [
      (.keepingRemainingTime, [(21, 1), (31, 2), (41, 3)]), (.keepingPhase, [(20, 2), (30, 3)]),
      (.immediately, [(15, 1), (20, 2), (30, 3)]),
    ] as [(ResumeBehavior, [(Double, Int64)])])
  func `A countdown goes on with what was left, or as if it hadn't stood still`(
    behavior: ResumeBehavior, expected: [(due: Double, ordinal: Int64)]
  ) {
    let bench = Workbench(.counting(30))
    bench.pause(at: 4)
    #expect(bench.value == .seconds(26))
    bench.resume(behavior, at: 15)
    #expect(bench.value == .seconds(behavior == .keepingRemainingTime ? 26 : 15))
    for (index, step) in expected.enumerated() {
      #expect(bench.nextTick()?.row == Row(due: step.due, index: index))
      #expect(bench.step == step.ordinal)
    }
    #expect(bench.value == .zero)
    #expect(bench.finishReason == .completed)
  }

  @Test
  func `A countdown that keeps its phase past its end still brings the end value`() {
    let bench = Workbench(.counting(30))
    bench.pause(at: 4)
    bench.resume(.keepingPhase, at: 45)
    #expect(bench.finishReason == nil)
    #expect(bench.nextTick()?.index == 0)
    #expect(bench.step == 3)
    #expect(bench.finishReason == .completed)
  }

  /// Compares the timer with one that isn't paused and otherwise has the same time.
  @Test(arguments: movable + jittered + [.after(10)], SeededGenerator.seeds(1, 2))
  func `Thousands of pauses of odd lengths don't shift a deadline by a nanosecond`(
    schedule: TimerSchedule, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let (bench, twin) = (Workbench(schedule), Workbench(schedule))
    let isOnce = if case .once = schedule.cadence { true } else { false }
    var paused = Duration.zero
    for number in 0..<2_000 {
      // On average a thousandth of a second, so that a timer of one tick is paused some thousand times.
      let run = Duration.nanoseconds(random.magnitude(bits: 0...23))
      for each in [bench, twin] { each.moveTime(by: run) }
      bench.pause()
      let pause = Duration.nanoseconds(random.magnitude(bits: 0...44))
      bench.moveTime(by: pause)
      paused += pause
      bench.resume()
      let about: Comment = "\(schedule), TIMER_SEED=\(seed), pause \(number)"
      try #require(bench.remaining == twin.remaining, about)
      let (filing, twinsFiling) = (try #require(bench.filing), try #require(twin.filing))
      try #require(filing.deadline == twinsFiling.deadline + Interval(paused), about)
      try #require(filing.latest == twinsFiling.latest + Interval(paused), about)
      guard !isOnce, number.isMultiple(of: 8) else { continue }
      let (tick, twinsTick) = (try #require(bench.nextTick(), about), try #require(twin.nextTick(), about))
      try #require(tick.index == twinsTick.index && tick.index == number / 8, about)
      try #require(tick.missedCount == 0 && twinsTick.missedCount == 0, about)
      try #require(tick.lateness == twinsTick.lateness, about)
    }
    #expect(bench.nextTick() != nil)
    // Three hours and more, most of it from few pauses.
    #expect(paused > .seconds(10_000))
  }

  /// Compares the timer with one that isn't paused at all.
  @Test(arguments: repeating, SeededGenerator.seeds(1, 2))
  func `A timer that keeps its phase is again where it would have been, and has missed nothing`(
    schedule: TimerSchedule, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let (bench, twin) = (Workbench(schedule), Workbench(schedule))
    for number in 0..<300 {
      let about: Comment = "\(schedule), TIMER_SEED=\(seed), pause \(number)"
      bench.moveTime(by: .nanoseconds(random.magnitude(bits: 0...31)))
      bench.pause()
      bench.moveTime(by: .nanoseconds(random.magnitude(bits: 30...36)))
      bench.resume(.keepingPhase)
      // The ticks that were due before the pause are there, and no others.
      while let tick = bench.take() { try #require(tick.missedCount == 0, about) }
      try #require(bench.mustWait, about)
      while let filing = twin.filing, filing.deadline <= bench.now[filing.timeline] {
        try #require(twin.nextTick() != nil, about)
      }
      try #require(bench.filing == twin.filing, about)
      try #require(bench.nextTick()?.missedCount == 0, about)
    }
  }

  @Test(arguments: jittered)
  func `The jitter of a deadline is drawn anew only where the cadence starts anew`(schedule: TimerSchedule) {
    let (bench, twin) = (Workbench(schedule), Workbench(schedule))
    var delays: Set<Double> = []
    for due in [10.0, 20, 30, 40] {
      bench.pause(at: due - 5)
      bench.resume(.keepingPhase, at: due - 4)
      #expect(bench.nextTick()?.row.due == twin.nextTick()?.row.due ?? .nan)
    }
    for start in stride(from: 100.0, through: 2_000, by: 100) {
      bench.pause()
      bench.resume(.immediately, at: start)
      #expect(bench.take()?.row.due == start)
      delays.insert((bench.deadline ?? .nan) - start - 10)
    }
    #expect(delays.allSatisfy { (0..<4).contains($0) })
    #expect(delays.count > 15)
  }
}
