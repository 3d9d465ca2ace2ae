/// What a program must do, and when: a list of events, from which the earliest is taken each time.
///
/// It knows no thread, job, executor or actor, as none of them takes virtual time.
final class ProgramReference {
  /// A task, or the operation of a time limit.
  final class Task {
    fileprivate(set) var isCancelled: Bool
    fileprivate var isDone = false
    /// Ends the present wait, which a cancellation ends.
    fileprivate var wake: (() -> Void)?
    fileprivate var children: [Task] = []
    fileprivate var waiting: [() -> Void] = []

    fileprivate init(childOf parent: Task? = nil) {
      isCancelled = parent?.isCancelled ?? false
      parent?.children.append(self)
    }

    fileprivate func cancel() {
      if isCancelled { return }
      isCancelled = true
      for child in children { child.cancel() }
      wake.take()?()
    }

    fileprivate func end() {
      isDone = true
      let waiting = waiting
      self.waiting = []
      for resume in waiting { resume() }
    }
  }

  /// The variables of a task.
  final class Frame {
    var tasks: [Int: Task] = [:]
    var deadline: Int64

    init(_ now: Int64) { deadline = now }
  }

  private struct Event {
    let time: Int64
    let number: Int
    let happen: () -> Void
  }

  private(set) var now: Int64 = 0
  private(set) var notes: [ProgramNote] = []
  private var events: [Event] = []
  private var eventCount = 0

  /// Runs the program as a body. Returns when it ends. Of other tasks, the notes of that moment count, too.
  func run(_ program: [ProgramStep]) -> Int64 {
    var end: Int64?
    let body = Task()
    perform(program[...], body, Frame(now)) { _ in end = self.now }
    while let event = events.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }) {
      if let end, event.time > end { break }
      events.removeAll { $0.number == event.number }
      now = event.time
      event.happen()
    }
    return end ?? -1
  }

  @discardableResult
  private func at(_ time: Int64, _ happen: @escaping () -> Void) -> Int {
    eventCount += 1
    events.append(Event(time: time, number: eventCount, happen: happen))
    return eventCount
  }

  /// Waits in a task until a moment. Its end is told whether the task was cancelled.
  private func wait(until time: Int64, _ task: Task, then: @escaping (_ isCancelled: Bool) -> Void) {
    if task.isCancelled { return then(true) }
    let event = at(time) {
      task.wake = nil
      then(false)
    }
    task.wake = {
      self.events.removeAll { $0.number == event }
      then(true)
    }
  }

  private func start(_ program: [ProgramStep], _ task: Task) {
    perform(program[...], task, Frame(now)) { _ in task.end() }
  }

  // MARK: Steps

  /// Performs the steps. Its end is told whether a wait has thrown, as its task was cancelled.
  private func perform(
    _ steps: ArraySlice<ProgramStep>, _ task: Task, _ frame: Frame,
    then: @escaping (_ hasThrown: Bool) -> Void
  ) {
    guard let step = steps.first else { return then(false) }
    let next = { self.perform(steps.dropFirst(), task, frame, then: then) }
    let nextUnless = { (hasThrown: Bool) in if hasThrown { then(true) } else { next() } }
    switch step {
    case .note(let number):
      notes.append(ProgramNote(number: number, time: now))
      next()
    case .sleep(_, let duration): wait(until: now + duration, task, then: nextUnless)
    case .sleepUntilNext(let duration):
      frame.deadline += duration
      if frame.deadline > now { wait(until: frame.deadline, task, then: nextUnless) } else { next() }
    case .yield, .compute: next()
    case .start(let number, _, let program):
      let task = Task()
      frame.tasks[number] = task
      start(program, task)
      next()
    case .wait(let number):
      guard let task = frame.tasks[number], !task.isDone else { return next() }
      task.waiting.append(next)
    case .cancel(let number):
      frame.tasks[number]?.cancel()
      next()
    case .group(let programs):
      let children = programs.map { _ in Task(childOf: task) }
      var rest = children.count
      if rest == 0 { return next() }
      for (child, program) in zip(children, programs) {
        child.waiting.append {
          rest -= 1
          if rest == 0 { next() }
        }
        start(program, child)
      }
    case .child(let program, let meanwhile):
      let child = Task(childOf: task)
      start(program, child)
      perform(meanwhile[...], task, frame) { hasThrown in
        if hasThrown { child.cancel() }
        if child.isDone { nextUnless(hasThrown) } else { child.waiting.append { nextUnless(hasThrown) } }
      }
    case .onActor(_, let program), .measured(let program):
      perform(program[...], task, frame, then: nextUnless)
    case .timer(let every, let limit, let program):
      fire(Ticks(now, every, count: limit), program)
      next()
    case .loop(let every, let count, let program):
      take(Ticks(now, every, count: count), program, task, frame, then: nextUnless)
    case .stream(_, let every, let count, let program):
      take(Ticks(now, every, count: count, areAllKept: true), program, task, frame, then: nextUnless)
    case .limited(let limit, let program): perform(program, for: limit, task, then: nextUnless)
    }
  }

  private func perform(
    _ program: [ProgramStep], for limit: Int64, _ task: Task, then: @escaping (_ hasThrown: Bool) -> Void
  ) {
    let operation = Task(childOf: task)
    var isOver = false
    let event = at(now + limit) {
      isOver = !task.isCancelled
      operation.cancel()
    }
    perform(program[...], operation, Frame(now)) { hasThrown in
      self.events.removeAll { $0.number == event }
      then(hasThrown && !isOver)
    }
  }

  // MARK: Ticks

  /// Runs an action at each tick.
  private func fire(_ ticks: Ticks, _ program: [ProgramStep]) {
    guard let (time, rest) = ticks.next(at: now) else { return }
    at(time) {
      let run = Task()
      run.waiting.append { self.fire(rest, program) }
      self.start(program, run)
    }
  }

  /// Takes ticks in a loop, which ends at the task's cancellation.
  private func take(
    _ ticks: Ticks, _ program: [ProgramStep], _ task: Task, _ frame: Frame,
    then: @escaping (_ hasThrown: Bool) -> Void
  ) {
    guard let (time, rest) = ticks.next(at: now) else { return then(false) }
    wait(until: time, task) { isCancelled in
      if isCancelled { return then(false) }
      self.perform(program[...], task, frame) { hasThrown in
        if hasThrown { then(true) } else { self.take(rest, program, task, frame, then: then) }
      }
    }
  }
}

/// The ticks of a timer for a consumer that is busy with each. Missed ones come as one, unless all are kept.
private struct Ticks {
  private let origin: Int64
  private let every: Int64
  private let count: Int
  private let areAllKept: Bool
  private var taken = 0
  private var index: Int64 = 0

  init(_ origin: Int64, _ every: Int64, count: Int, areAllKept: Bool = false) {
    (self.origin, self.every, self.count, self.areAllKept) = (origin, every, count, areAllKept)
  }

  /// The moment of the next tick, at which the consumer isn't busy, and the ticks after it.
  func next(at now: Int64) -> (time: Int64, rest: Ticks)? {
    if taken == count { return nil }
    var rest = self
    rest.taken += 1
    rest.index = areAllKept ? index + 1 : max(index + 1, (now - origin) / every)
    return (max(now, origin + rest.index * every), rest)
  }
}

/// A note of a program.
struct ProgramNote: Hashable, Sendable {
  let number: Int
  let time: Int64
}
