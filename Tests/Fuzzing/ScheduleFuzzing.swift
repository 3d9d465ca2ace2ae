/// The deadlines of any schedule pass in order and never early, and the next lies after those that passed.
func fuzzSchedules(_ input: inout FuzzInput) {
  var clock = FuzzClock(&input)
  let schedule = input.schedule()
  trace("\(schedule) at \(clock.now)")
  let plan = TimerPlan(schedule, defaultTolerance: input.interval(), jitterSeed: input.bits(), at: clock.now)
  var agenda = plan.agenda
  while !input.isEmpty {
    let event = input.number(below: 8)
    trace("event \(event) at \(clock.now), \(agenda)")
    switch event {
    case 0: _ = clock.setWall(to: input.deadline())
    case 1: agenda.restart(at: clock.now)
    case 2, 3:
      let since = clock.now
      clock.advance(by: Interval(nanoseconds: input.magnitude()))
      if input.bool() || !agenda.postpone(from: since, to: clock.now) {
        agenda.skip(from: since, to: clock.now)
      }
    case 4:
      if let due = agenda.upcoming(at: clock.now) { clock.advance(to: due, on: agenda.timeline) }
    default: clock.advance(by: Interval(nanoseconds: input.magnitude()))
    }
    _ = agenda.lastDeadline(after: clock.now)
    if let query = agenda.query(at: clock.now, missedTicks: plan.missedTicks), !agenda.hasDate {
      agenda.adopt(query.ask())
    }
    guard let passed = agenda.pass(at: clock.now) else { continue }
    guard clock.isOrdinary else { continue }
    require(passed.count > 0, "\(passed) have passed")
    require(passed.newest <= clock.now[agenda.timeline], "\(passed) have passed at \(clock.now)")
    // The arithmetic of a cadence saturates where its interval is centuries long.
    guard (agenda.interval ?? .zero).nanoseconds < 1 << 60 else { continue }
    if let next = agenda.upcoming(at: clock.now), next < .never {
      require(next > clock.now[agenda.timeline], "\(next) is yet to come at \(clock.now)")
    }
  }
}
