/// The deadlines of any schedule pass in order and never early, and the next lies after those that passed.
func fuzzSchedules(_ input: inout FuzzInput) {
  var clock = FuzzClock(&input)
  let schedule = input.schedule()
  trace("\(schedule) at \(clock.now)")
  let start = clock.now
  var recurrence = Recurrence(schedule, jitterSeed: input.bits(), at: start.monotonic) { start }
  while !input.isEmpty {
    let event = input.number(below: 8)
    trace("event \(event) at \(clock.now), \(recurrence)")
    switch event {
    case 0: _ = clock.setWall(to: input.deadline())
    case 1: recurrence.restart(at: clock.now)
    case 2, 3:
      let since = clock.now
      clock.advance(by: Interval(nanoseconds: input.magnitude()))
      if input.bool() || !recurrence.postpone(from: since, to: clock.now) {
        recurrence.skip(from: since, to: clock.now)
      }
    case 4:
      if let due = recurrence.upcoming(at: clock.now) { clock.advance(to: due, on: recurrence.timeline) }
    default: clock.advance(by: Interval(nanoseconds: input.magnitude()))
    }
    _ = recurrence.lastDeadline(after: clock.now)
    if let question = recurrence.question(at: clock.now, missedTicks: schedule.options.missedTicks),
      !recurrence.hasDate
    {
      recurrence.accept(question.ask())
    }
    guard let passed = recurrence.pass(at: clock.now) else { continue }
    guard clock.isOrdinary else { continue }
    require(passed.count > 0, "\(passed) have passed")
    require(passed.newest <= clock.now[recurrence.timeline], "\(passed) have passed at \(clock.now)")
    // The arithmetic of a cadence saturates where its interval is centuries long.
    guard (recurrence.interval ?? .zero).nanoseconds < 1 << 60 else { continue }
    if let next = recurrence.upcoming(at: clock.now), next < .never {
      require(next > clock.now[recurrence.timeline], "\(next) is yet to come at \(clock.now)")
    }
  }
}
