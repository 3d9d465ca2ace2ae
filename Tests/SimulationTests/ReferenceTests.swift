import Testing
import TimerScheduling

/// The reference itself, by timelines made by hand. Times are in seconds.
@Suite struct ReferenceTests {
  /// The ticks that a listener to timer 1 gets. Number 2 listens from the start, and is busy for `sleeps`.
  private func log(
    _ plan: Plan, busy sleeps: [Int64] = [0], of consumer: Int = 2, _ operations: [Operation]
  ) -> [Tick] {
    outcome(plan, busy: sleeps, operations).logs[consumer] ?? []
  }

  private func outcome(_ plan: Plan, busy sleeps: [Int64], _ operations: [Operation]) -> Outcome {
    var reference = Reference()
    reference.apply(.make(timer: 1, Blueprint(form: .timer, plan: plan)))
    reference.apply(.listen(timer: 1, consumer: 2, BusyTimes(sleeps: sleeps)))
    for operation in operations { reference.apply(operation) }
    return reference.outcome
  }

  private func tick(
    _ index: Int, _ due: Int64, at date: Int64? = nil, missed: Int = 0, late lateness: Int64? = nil
  ) -> Tick {
    let date = date ?? due
    let details = Tick.Details(
      due: due * second, index: index, missed: missed, lateness: (lateness ?? date - due) * second)
    return Tick(date: date * second, details: details)
  }

  private let second: Int64 = 1_000_000_000
  private let tenSeconds = Plan(cadence: .every(10_000_000_000, .afterInterval))

  @Test func `A timer ticks at multiples of its interval`() {
    #expect(log(tenSeconds, [.advance(35 * second)]) == [tick(0, 10), tick(1, 20), tick(2, 30)])
  }

  @Test func `A stalled timer ticks once, late, and tells what it has missed`() {
    let log = log(tenSeconds, [.stall(35 * second), .advance(5 * second)])
    #expect(log == [tick(0, 30, at: 35, missed: 2), tick(1, 40)])
  }

  // deadlines  10    20    30    40    50
  // consumer   [==============]
  @Test(
    arguments: [
      (.skip, [(10, 0), (30, 1), (40, 0), (50, 0)]),
      (.burst, [(10, 0), (20, 0), (30, 0), (40, 0), (50, 0)]),
      (.delay, [(10, 0), (30, 1), (42, 0), (52, 0)]),
    ] as [(MissedTickBehavior, [(due: Int64, missed: Int)])])
  func `A consumer that is busy misses ticks as drawn`(
    behavior: MissedTickBehavior, expected: [(due: Int64, missed: Int)]
  ) {
    var plan = tenSeconds
    plan.behavior = behavior
    let busyTimes = [22 * second] + Array(repeating: 0, count: 9)
    let ticks = expected.enumerated().map { tick($0, $1.due, missed: $1.missed) }
    #expect(log(plan, busy: busyTimes, [.advance(55 * second)]) == ticks)
  }

  @Test func `A limit counts what is taken`() {
    var plan = tenSeconds
    plan.limit = 2
    let outcome = outcome(plan, busy: [25 * second], [.advance(60 * second)])
    #expect(outcome.logs[2] == [tick(0, 10), tick(1, 30, missed: 1)])
    #expect(outcome.statuses[1]?.state == .finished(.completed))
  }

  @Test func `The first listener gets the newest tick from before, the second doesn't`() {
    var reference = Reference()
    reference.apply(.make(timer: 1, Blueprint(form: .timer, plan: tenSeconds)))
    reference.apply(.advance(25 * second))
    for consumer in 2...3 {
      reference.apply(.listen(timer: 1, consumer: consumer, BusyTimes(sleeps: [0])))
    }
    #expect(reference.outcome.logs == [2: [tick(0, 20, missed: 1)], 3: []])
  }

  @Test func `Listeners have one index for one tick`() {
    let operations: [Operation] = [
      .listen(timer: 1, consumer: 3, BusyTimes(sleeps: [25 * second])), .advance(35 * second),
    ]
    #expect(log(tenSeconds, operations) == [tick(0, 10), tick(1, 20), tick(2, 30)])
    #expect(log(tenSeconds, of: 3, operations) == [tick(0, 10), tick(2, 30, missed: 1)])
  }

  // time     0         10        20        30        40        50
  // paused                 [===========]
  @Test(
    arguments: [
      (.keepingRemainingTime, [42, 52]), (.keepingPhase, [40, 50]), (.immediately, [36, 46]),
    ] as [(ResumeBehavior, [Int64])])
  func `A timer goes on as drawn`(behavior: ResumeBehavior, expected: [Int64]) {
    let operations: [Operation] = [
      .advance(24 * second), .pause(timer: 1), .advance(12 * second), .resume(timer: 1, behavior),
      .advance(17 * second),
    ]
    let expected = [tick(0, 10), tick(1, 20), tick(2, expected[0]), tick(3, expected[1])]
    #expect(log(tenSeconds, operations).prefix(4) == expected[...])
  }

  @Test func `A deadline that passes in a pause is late from the end of the pause`() {
    let operations: [Operation] = [
      .pause(timer: 1), .advance(25 * second), .resume(timer: 1, .keepingPhase), .advance(5 * second),
    ]
    #expect(log(Plan(cadence: .after(10 * second)), operations) == [tick(0, 10, at: 25, late: 0)])
  }

  @Test func `Firing by hand shifts nothing, and is the one tick of a timer that has one`() {
    let operations: [Operation] = [.advance(4 * second), .fire(timer: 1), .advance(20 * second)]
    #expect(log(tenSeconds, operations) == [tick(0, 4), tick(1, 10), tick(2, 20)])
    #expect(log(Plan(cadence: .after(10 * second)), operations) == [tick(0, 4)])
  }

  @Test func `A new schedule is counted from now, and drops what wasn't taken`() {
    let plan = Plan(cadence: .every(7 * second, .afterInterval))
    let operations: [Operation] = [
      .advance(25 * second), .reschedule(timer: 1, plan), .advance(20 * second),
    ]
    // Busy until 30 with the first, and then from 32.
    #expect(log(tenSeconds, busy: [20 * second], operations) == [tick(0, 10), tick(1, 32)])
  }

  @Test func `A name that is taken ends the timer that had it, and owners end theirs`() {
    var reference = Reference()
    let blueprint = Blueprint(form: .timer, plan: tenSeconds, name: "a", owner: 0)
    for timer in 1...2 { reference.apply(.make(timer: timer, blueprint)) }
    reference.apply(.find(Name(text: "a", owner: 0)))
    #expect(reference.outcome.statuses[1]?.state == .finished(.replaced))
    #expect(reference.outcome.found == [2])
    reference.apply(.releaseOwner(0))
    #expect(reference.outcome.statuses[2]?.state == .finished(.ownerReleased))
  }

  @Test func `An aligned timer follows the clock, and repeats no tick`() {
    let operations: [Operation] = [
      .advance(35 * second), .setWallClock(by: 100 * second), .advance(5 * second),
      .setWallClock(by: -8 * second), .advance(20 * second),
    ]
    // 2001 begins at a multiple of ten seconds. The clock shows 135 when it is set, and then 140 and 132.
    let plan = Plan(cadence: .every(10 * second, .aligned(0)))
    #expect(
      log(plan, operations) == [
        tick(0, 10), tick(1, 20), tick(2, 30), tick(3, 130, at: 135, missed: 9), tick(4, 140), tick(5, 150),
      ])
    // The clock shows 135 and then 140 and 132. The deadline at 133 has been served.
    let offset = Plan(cadence: .every(10 * second, .aligned(-7 * second)))
    #expect(
      log(offset, operations) == [
        tick(0, 3), tick(1, 13), tick(2, 23), tick(3, 33), tick(4, 133, at: 135, missed: 9), tick(5, 143),
      ])
  }
}
