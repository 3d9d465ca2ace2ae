import TestSupport
import TimerScheduling

extension ScenarioGenerator {
  // MARK: Times

  /// Some units, now and then with an odd rest.
  mutating func length(upTo most: Int64) -> Int64 {
    let whole = Int64.random(in: 1...most, using: &random) * unit
    return random.chance(20) ? whole + Int64.random(in: 1..<unit, using: &random) : whole
  }

  /// Up to or around the next deadline, or for some units, but not for too many ticks.
  mutating func duration() -> Int64 {
    let untilNext = reference.nextWakeup.map { $0 - reference.clocks.monotonic } ?? unit
    let some = length(upTo: random.chance(90) ? 12 : 200)
    let duration: Int64 = random.choose([
      (10, untilNext), (10, untilNext - 1), (5, untilNext + 1), (3, 1), (50, some),
    ])
    return max(min(duration, shortestInterval * 30, farthest - reference.clocks.monotonic), 0)
  }

  private var shortestInterval: Int64 {
    reference.timers.values.filter { !$0.isFinished }.compactMap(\.plan.interval).min() ?? 10_000 * unit
  }

  /// A `Date` distinguishes nanoseconds only near its zero.
  private var farthest: Int64 { 2_000_000_000_000_000 }

  // MARK: Timers

  mutating func blueprint() -> Blueprint {
    let name = random.chance(30) ? names.randomElement(using: &random) : nil
    let owner = random.chance(20) ? places.randomElement(using: &random) : nil
    switch Int.random(in: 0..<13, using: &random) {
    case 0..<4:
      let plan = plan()
      // A tick that is owed may wait beside a deadline in a burst, but not in a stream, which can't be
      // paused.
      let busyTimes = busyTimes(isRound: hasRoundSleeps && name == nil && plan.behavior != .burst)
      return Blueprint(form: .stream(busyTimes), plan: plan, name: name, owner: owner)
    case 4..<9:
      return Blueprint(form: .timer, plan: plan(), name: name, owner: owner)
    default:
      let failsAt = random.chance(15) ? Int.random(in: 0...3, using: &random) : nil
      let busyTimes = failsAt == nil ? busyTimes() : busyTimes().alwaysBusy
      let onError: ActionErrorBehavior = random.chance(70) ? .finish : .keepTicking
      let form = Blueprint.Form.action(busyTimes, failsAt: failsAt, onError)
      return Blueprint(form: form, plan: plan(), name: name, owner: owner)
    }
  }

  mutating func plan() -> Plan {
    var plan = Plan(cadence: cadence())
    // In a burst, a rule is asked for one date after another, which then fires late.
    plan.behavior = random.choose([(4, .skip), (plan.isByRule ? 0 : 3, .burst), (3, .delay)])
    if random.chance(20) { plan.limit = Int.random(in: 0...6, using: &random) }
    if random.chance(15), wallClockSteps == .none || plan.isOnWallClock {
      plan.until = reference.clocks.wall + length(upTo: 20) - unit
    }
    return plan
  }

  private mutating func cadence() -> Plan.Cadence {
    let now = reference.clocks.wall
    let interval = length(upTo: random.chance(90) ? 12 : 100)
    let delay = random.chance(10) ? 0 : length(upTo: 10)
    let date = now + length(upTo: 20) - 10 * unit
    // Also beyond the interval, and not in whole microseconds.
    let offset = random.chance(30) ? 0 : Int64.random(in: -2 * interval...2 * interval, using: &random)
    return random.choose([
      (35, .every(interval, .afterInterval)), (10, .every(interval, .immediately)),
      (10, .every(interval, .after(delay))), (12, .every(interval, .at(date))),
      (12, .every(interval, .aligned(offset))), (10, .after(delay)), (7, .at(date)),
      (30, .rule(pattern())),
    ])
  }

  private mutating func pattern() -> Pattern {
    let period = Int64.random(in: 2...10, using: &random)
    let offsets = (0..<period).filter { _ in random.chance(50) }.map { $0 * unit }
    let last = random.chance(30) ? reference.clocks.wall + length(upTo: 30) : .max / 2
    return Pattern(period: period * unit, offsets: offsets.isEmpty ? [unit / 2] : offsets, last: last)
  }

  // MARK: Others

  /// A consumer is ready at round moments only if the order makes no difference.
  mutating func busyTimes(isRound: Bool = false) -> BusyTimes {
    let sleeps = (0..<Int.random(in: 1...4, using: &random)).map { _ -> Int64 in
      if random.chance(50) { return 0 }
      if isRound { return length(upTo: 30) / 2 }
      return Int64.random(in: 1...15 * unit, using: &random)
    }
    return BusyTimes(sleeps: sleeps)
  }

  mutating func resumeBehavior() -> ResumeBehavior {
    random.choose([(5, .keepingRemainingTime), (3, .keepingPhase), (3, .immediately)])
  }

  mutating func name() -> Name {
    Name(
      text: names.randomElement(using: &random) ?? "",
      owner: random.chance(20) ? places.randomElement(using: &random) : nil)
  }
}

extension BusyTimes {
  /// The busy times of an action that throws: no other consumer is served at the moment when it throws.
  fileprivate var alwaysBusy: BusyTimes { BusyTimes(sleeps: sleeps.map { $0 == 0 ? 123_457 : $0 }) }
}
