import Foundation

/// Checks that after any operations on a timer, none of its numbers overflows and its promises hold.
func fuzzTimers(_ input: inout FuzzInput) {
  var run = TimerRun(&input)
  while !input.isEmpty { run.step(&input) }
}

/// A timer with up to three listeners, a scheduler as late as the fuzzer wants, and clocks that are set.
private struct TimerRun {
  private var clock: FuzzClock
  private var inspector: TimerInspector

  init(_ input: inout FuzzInput) {
    clock = FuzzClock(&input)
    let schedule = input.schedule()
    trace("\(schedule) at \(clock.now)")
    let tolerance = Interval(nanoseconds: input.magnitude()).duration
    let bench = Workbench(schedule, tolerance: tolerance, jitterSeed: input.bits(), at: clock.now)
    inspector = TimerInspector(
      bench, mostTicks: schedule.options.limit ?? .max, until: schedule.options.until.map { Date($0) },
      mayFilePast: true)
    inspector.isOrdinary = clock.isOrdinary
  }

  mutating func step(_ input: inout FuzzInput) {
    let event = input.number(below: 20)
    trace("event \(event) at \(clock.now), filed as \(inspector.bench.filing as Any)")
    // The clocks aren't part of an event: a filing may pass as they go on.
    let wasSetBack = moveClock(event, &input)
    inspector.bench.now = clock.now
    inspector.isSteady = clock.isSteady
    let mismatch = inspector.mismatch { inspector in
      if wasSetBack { inspector.noteSetBack() }
      Self.perform(event, on: &inspector, &input)
    }
    require(mismatch == nil, "The timer \(mismatch ?? "")")
  }

  /// Returns whether the wall clock was set back.
  private mutating func moveClock(_ event: Int, _ input: inout FuzzInput) -> Bool {
    switch event {
    case 0: clock.advance(by: Interval(nanoseconds: input.magnitude()))
    case 1: return clock.setWall(to: input.deadline())
    case 3...5:
      if let filing = inspector.bench.filing { clock.advance(to: filing.deadline, on: filing.timeline) }
    default: break
    }
    return false
  }

  private static func perform(_ event: Int, on inspector: inout TimerInspector, _ input: inout FuzzInput) {
    let listeners = inspector.bench.present.sorted()
    switch event {
    case 0, 1: break
    case 2...5: inspector.fire(awaited: listeners.isEmpty || inspector.areAllWaiting)
    case 6...9:
      let number = input.number(below: 3)
      if number < listeners.count {
        inspector.take(by: listeners[number], answersLater: input.number(below: 4) == 0)
      }
    case 10: inspector.answer()
    case 11:
      let number = input.number(below: 3)
      if number < listeners.count { inspector.bench.leave(listeners[number]) } else { inspector.join() }
    case 12: inspector.pause()
    case 13, 14:
      inspector.resume([.keepingRemainingTime, .keepingPhase, .immediately][input.number(below: 3)])
    case 15: inspector.beginScope()
    case 16: inspector.endScope()
    case 17: inspector.bench.fireByHand()
    case 18:
      if input.number(below: 4) == 0 {
        let schedule = input.schedule()
        trace("reschedules to \(schedule)")
        inspector.reschedule(
          schedule, tolerance: Interval(nanoseconds: input.magnitude()).duration, jitterSeed: input.bits(),
          mostTicks: schedule.options.limit ?? .max, until: schedule.options.until.map { Date($0) },
          mayFilePast: true)
      } else {
        inspector.bench.isRunning.toggle()
      }
    default: if input.number(below: 8) == 0 { inspector.cancel() }
    }
  }
}
