import TestSupport
import Testing
import TimerScheduling

@Suite struct TimerControlModelTests {
  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay], SeededGenerator.seeds(1, 2, 3))
  func `Random control agrees with a list of deadlines`(behavior: MissedTickBehavior, seed: UInt64) throws {
    var run = ControlRun(behavior, seed: seed)
    for step in 0..<20_000 {
      let mismatch = run.step()
      try #require(mismatch == nil, "\(behavior), TIMER_SEED=\(seed), step \(step)")
    }
    // A run proves little unless there were ticks of all kinds and timers that ended.
    #expect(run.tickCount > 1_000)
    #expect(run.missedCount > 300 || behavior == .burst)
    #expect(run.completedCount > 20)
  }
}

/// A timer and its model, with the operations on both.
private struct ControlRun {
  let behavior: MissedTickBehavior
  private var random: SeededGenerator
  private var bench: Workbench
  private var model: NaiveControlledTimer
  /// In seconds from when the timer was made: multiples of 2⁻⁹, which are exact as Doubles and in nanoseconds.
  private var now = 0.0
  private(set) var tickCount = 0
  private(set) var missedCount = 0
  private(set) var completedCount = 0

  init(_ behavior: MissedTickBehavior, seed: UInt64) {
    self.behavior = behavior
    random = SeededGenerator(seed: seed)
    let plan = Self.plan(behavior, using: &random)
    bench = Workbench(Self.schedule(plan, isFromDate: false, at: 0))
    model = NaiveControlledTimer(plan, at: 0)
  }

  /// Performs one operation on both, and returns the difference.
  mutating func step() -> String? {
    if model.isFinished {
      completedCount += 1
      startAnew()
    }
    // Long steps are rare, so that backlogs are used up.
    now += Double(Int.random(in: 0...(random.chance(5) ? 3_000 : 400), using: &random)) / 512
    bench.moveTime(to: now)
    return act() ?? compare()
  }

  private mutating func act() -> String? {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<15: fire(awaited: false)
    case 15..<40: fire(awaited: true)
    case 40..<68: return take()
    case 68..<73:
      return intervene {
        $0.pause()
      } model: {
        $0.pause(at: $1)
      }
    case 73..<86:
      let choices: [ResumeBehavior] = [.keepingRemainingTime, .keepingPhase, .immediately]
      let behavior = choices.randomElement(using: &random) ?? .keepingPhase
      return intervene {
        $0.resume(behavior)
      } model: {
        $0.resume(behavior, at: $1)
      }
    case 86..<88:
      return intervene {
        $0.beginScope()
      } model: {
        $0.beginScope(at: $1)
      }
    case 88..<94:
      guard model.hasScope else { return nil }
      return intervene {
        $0.endScope()
      } model: {
        $0.endScope(at: $1)
      }
    case 94..<98:
      // If the scheduler is late, the order of the two isn't defined.
      fire(awaited: true)
      return intervene {
        $0.fireByHand()
      } model: {
        $0.fireByHand(at: $1)
      }
    default:
      let plan = Self.plan(behavior, using: &random)
      bench.reschedule(Self.schedule(plan, isFromDate: random.chance(50), at: now))
      model.reschedule(plan, at: now)
    }
    return nil
  }

  private mutating func fire(awaited: Bool) {
    bench.fire(awaited: awaited)
    model.fire(at: now, awaited: awaited)
  }

  private mutating func take() -> String? {
    let tick = bench.take()
    let expected = model.take(at: now)
    if let tick { note(tick) }
    switch (tick?.row, expected) {
    case (nil, nil): return nil
    case (let row?, let expected?):
      let isSame = row.due == expected.due && row.index == expected.index && row.missed == expected.missed
      guard isSame else { return "took \(row), not \(expected)" }
      return row.at >= row.due && row.at <= now ? nil : "took \(row) at \(now)"
    default: return "took \(String(describing: tick?.row)), not \(String(describing: expected))"
    }
  }

  /// Under `.delay`, the cadence isn't defined if a tick waits meanwhile.
  private mutating func intervene(
    _ change: (Workbench) -> Void, model changeModel: (inout NaiveControlledTimer, Double) -> Void
  ) -> String? {
    var mismatch = behavior == .delay ? takeAll() : nil
    change(bench)
    changeModel(&model, now)
    if behavior == .delay, mismatch == nil { mismatch = takeAll() }
    return mismatch
  }

  private mutating func takeAll() -> String? {
    while model.hasTick, model.state == .scheduled {
      if let mismatch = take() { return mismatch }
    }
    return nil
  }

  private func compare() -> String? {
    if bench.state != model.state { return "is \(bench.state), not \(model.state)" }
    if bench.deadline != model.deadline {
      return "is due at \(String(describing: bench.deadline)), not \(String(describing: model.deadline))"
    }
    let remaining = bench.remaining.map { $0 / .seconds(1) }
    let expected = model.remaining(at: now)
    return remaining == expected
      ? nil : "has \(String(describing: remaining)) left, not \(String(describing: expected))"
  }

  private mutating func note(_ tick: TimerTick) {
    tickCount += 1
    missedCount += tick.missedCount
  }

  private mutating func startAnew() {
    let plan = Self.plan(behavior, using: &random)
    now = 0
    bench = Workbench(Self.schedule(plan, isFromDate: random.chance(50), at: now))
    model = NaiveControlledTimer(plan, at: 0)
  }

  private static func plan(
    _ behavior: MissedTickBehavior, using random: inout SeededGenerator
  ) -> NaiveControlledTimer.Plan {
    NaiveControlledTimer.Plan(
      interval: [0.5, 0.75, 1, 2.25].randomElement(using: &random) ?? 1, behavior: behavior,
      limit: Int.random(in: 1...30, using: &random))
  }

  /// From a date, the same deadlines lie on the wall clock.
  private static func schedule(_ plan: NaiveControlledTimer.Plan, isFromDate: Bool, at now: Double)
    -> TimerSchedule
  {
    let start = isFromDate ? TimerSchedule.Start.at(Workbench.date(now + plan.interval)) : .afterInterval
    return .every(plan.interval, starting: start).missedTicks(plan.behavior).limit(plan.limit)
  }
}
