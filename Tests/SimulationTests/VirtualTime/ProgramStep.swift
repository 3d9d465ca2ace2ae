import TestSupport

/// A step of a program in virtual time. Durations are in nanoseconds. Tasks have numbers within their maker.
indirect enum ProgramStep: Sendable {
  /// Notes the number with the time, by all clocks.
  case note(Int)
  case sleep(SleepForm, Int64)
  /// Adds to the deadline that the task keeps by now, and sleeps until then, unless it has passed.
  case sleepUntilNext(Int64)
  case yield(Int)
  /// Keeps the thread for so many microseconds of real time.
  case compute(Int)
  /// Starts a task that ends by itself.
  case start(Int, TaskForm, [ProgramStep])
  case wait(task: Int)
  case cancel(task: Int)
  /// Waits for child tasks of a group.
  case group([[ProgramStep]])
  /// Runs a child task of `async let` meanwhile.
  case child([ProgramStep], meanwhile: [ProgramStep])
  case onActor(Int, [ProgramStep])
  /// Makes a timer with an action.
  case timer(every: Int64, limit: Int, [ProgramStep])
  /// Takes ticks in a loop.
  case loop(every: Int64, count: Int, [ProgramStep])
  /// Takes values from a stream that a timer's action or a task feeds.
  case stream(byTimer: Bool, every: Int64, count: Int, [ProgramStep])
  /// Runs steps with a time limit.
  case limited(Int64, [ProgramStep])
  /// Compares what `measure` says with the clock.
  case measured([ProgramStep])
}

/// How a task sleeps.
enum SleepForm: CaseIterable, Sendable {
  case task, nanoseconds, untilContinuous, untilSuspending, clock, scheduler
}

/// How a task is made.
enum TaskForm: CaseIterable, Sendable {
  case task, detached, immediate, onActor, onQueue, onExecutor
}

extension ProgramStep {
  /// The step with all of its parts, each of which can be left out.
  private var parts: [[ProgramStep]] {
    switch self {
    case .note, .sleep, .sleepUntilNext, .yield, .compute, .wait, .cancel: []
    case .start(_, _, let steps), .onActor(_, let steps), .timer(_, _, let steps), .loop(_, _, let steps),
      .stream(_, _, _, let steps), .limited(_, let steps), .measured(let steps):
      [steps]
    case .group(let children): children
    case .child(let child, let meanwhile): [child, meanwhile]
    }
  }

  private func with(_ parts: [[ProgramStep]]) -> ProgramStep {
    switch self {
    case .note, .sleep, .sleepUntilNext, .yield, .compute, .wait, .cancel: self
    case .start(let task, let form, _): .start(task, form, parts[0])
    case .onActor(let actor, _): .onActor(actor, parts[0])
    case .timer(let every, let limit, _): .timer(every: every, limit: limit, parts[0])
    case .loop(let every, let count, _): .loop(every: every, count: count, parts[0])
    case .stream(let byTimer, let every, let count, _):
      .stream(byTimer: byTimer, every: every, count: count, parts[0])
    case .limited(let limit, _): .limited(limit, parts[0])
    case .measured: .measured(parts[0])
    case .group: .group(parts)
    case .child: .child(parts[0], meanwhile: parts[1])
    }
  }

  /// Shorter programs: each without one step, or with the steps of one part instead of the step.
  static func shortened(_ program: [ProgramStep]) -> [[ProgramStep]] {
    program.indices.flatMap { index -> [[ProgramStep]] in
      let (step, parts) = (program[index], program[index].parts)
      func replacing(_ steps: [ProgramStep]) -> [ProgramStep] {
        Array(program[..<index]) + steps + Array(program[(index + 1)...])
      }
      let within = parts.indices.flatMap { part in
        shortened(parts[part]).map { shorter -> [ProgramStep] in
          var parts = parts
          parts[part] = shorter
          return replacing([step.with(parts)])
        }
      }
      return [replacing([])] + parts.map(replacing) + within
    }
  }
}

extension ProgramStep: CustomStringConvertible {
  var description: String { lines.joined(separator: "\n") }

  static func describe(_ program: [ProgramStep]) -> String {
    program.flatMap(\.lines).map { "  \($0)" }.joined(separator: "\n")
  }

  private var lines: [String] {
    [title]
      + parts.enumerated().flatMap { index, part in
        (index > 0 ? ["and"] : []) + part.flatMap(\.lines).map { "  \($0)" }
      }
  }

  private var title: String {
    switch self {
    case .note(let number): "note \(number)"
    case .sleep(let form, let duration): "sleep \(duration.inSeconds) by \(form)"
    case .sleepUntilNext(let duration): "sleep until the kept deadline + \(duration.inSeconds)"
    case .yield(let count): "yield \(count) times"
    case .compute(let time): "compute for \(time) µs"
    case .start(let task, let form, _): "start \(task) by \(form)"
    case .wait(let task): "wait for \(task)"
    case .cancel(let task): "cancel \(task)"
    case .group: "children of a group"
    case .child: "a child, and meanwhile"
    case .onActor(let actor, _): actor == 0 ? "on the main actor" : "on actor \(actor)"
    case .timer(let every, let limit, _): "timer every \(every.inSeconds), limit \(limit)"
    case .loop(let every, let count, _): "\(count) ticks every \(every.inSeconds)"
    case .stream(let byTimer, let every, let count, _):
      "\(count) values of a \(byTimer ? "timer" : "task") every \(every.inSeconds)"
    case .limited(let limit, _): "for at most \(limit.inSeconds)"
    case .measured: "measure"
    }
  }
}
