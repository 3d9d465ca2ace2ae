import TestSupport
import Testing
import TimerScheduling

/// A timer of one second's interval that keeps every deadline it owes in a list.
private struct NaiveTimer {
  let behavior: MissedTickBehavior
  private var owed: [(due: Double, at: Double)] = []
  private var next = 1.0
  private var isArmed = true
  private var count = 0

  init(_ behavior: MissedTickBehavior) { self.behavior = behavior }

  var deadline: Double? { isArmed ? next : nil }

  mutating func fire(at now: Double, awaited: Bool) {
    guard isArmed, next <= now else { return }
    pass(until: now, at: { _ in now })
    // A tick that is still owed is handed out with the date of the newest firing.
    owed = owed.map { ($0.due, now) }
    isArmed = awaited
    if awaited, behavior == .delay, owed.count > 1 { next = now + 1 }
  }

  mutating func take(at now: Double) -> TimerTick.Row? {
    if !isArmed { pass(until: now, at: { $0 }) }
    guard let first = owed.first, let last = owed.last else { return nil }
    defer { count += 1 }
    let missed = behavior == .burst ? 0 : owed.count - 1
    let tick = behavior == .burst ? first : last
    owed.removeFirst(behavior == .burst ? 1 : owed.count)
    if !isArmed, owed.isEmpty {
      isArmed = true
      if behavior == .delay, missed > 0 { next = now + 1 }
    }
    return TimerTick.Row(due: tick.due, at: tick.at, index: count, missed: missed)
  }

  private mutating func pass(until now: Double, at date: (Double) -> Double) {
    while next <= now {
      owed.append((next, date(next)))
      next += 1
    }
  }
}

@Suite struct TimerStateMachineModelTests {
  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay], SeededGenerator.seeds(1, 2, 3))
  func `Random firing and taking agrees with a list of deadlines`(
    behavior: MissedTickBehavior, seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = Workbench(.every(1).missedTicks(behavior))
    var model = NaiveTimer(behavior)
    var now = 0.0
    var tickCount = 0
    for step in 0..<rounds(20_000) {
      // Multiples of 2⁻⁹ seconds are whole nanoseconds and exact as Doubles. Long steps are rare, so that backlogs are used up.
      let longest = Int.random(in: 0..<20, using: &generator) == 0 ? 3000 : 450
      now += Double(Int.random(in: 0...longest, using: &generator)) / 512
      bench.moveTime(to: now)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        bench.fire(awaited: false)
        model.fire(at: now, awaited: false)
      case 1:
        bench.fire(awaited: true)
        model.fire(at: now, awaited: true)
      default:
        let tick = bench.take()?.row
        try #require(tick == model.take(at: now), "\(behavior), seed \(seed), step \(step)")
        if tick != nil { tickCount += 1 }
      }
      try #require(bench.deadline == model.deadline, "\(behavior), seed \(seed), step \(step)")
    }
    #expect(tickCount > rounds(3_000))
  }
}
