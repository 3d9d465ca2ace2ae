import Foundation
import TestSupport
import TimerScheduling
import TimerSchedulingTesting

/// A program on the test kit.
final class ProgramRun: Sendable {
  /// The variables of a task. Its steps run one after the other.
  private final class Frame: Sendable {
    let tasks = Lock<[Int: Task<Void, Never>]>([:])
    let deadline = Lock(ContinuousClock.now)
  }

  private let clock: VirtualClock
  private let scheduler: TimerScheduler
  private let continuousStart = ContinuousClock.now
  private let suspendingStart = SuspendingClock.now
  private let dateAtStart = Date()
  private let noted = Lock<[ProgramNote]>([])
  /// What the clocks have shown, where they disagree.
  private let disagreements = Journal<String>()
  private let isOver = Counter()
  private let tasks = Lock<[Task<Void, Never>]>([])
  private let places = [Place(), Place()]

  private init(_ clock: VirtualClock) {
    self.clock = clock
    scheduler = TimerScheduler(clock: clock)
  }

  /// What was seen of a program.
  struct Outcome: Sendable {
    var notes: [ProgramNote] = []
    var end: Int64 = -1
    var faults: [String] = []
  }

  /// Runs a program as a body, and then ends what it has left.
  static func run(_ program: [ProgramStep]) async -> Outcome {
    let made = Box<ProgramRun>()
    var outcome = Outcome()
    do {
      outcome.end = try await withVirtualClock(limit: .seconds(1_000_000_000), timeout: .seconds(20)) {
        clock in
        let run = ProgramRun(clock)
        made.value = run
        try? await run.perform(program[...], Frame())
        run.isOver.add()
        return Interval(clock.now.offset).nanoseconds
      }
    } catch {
      outcome.faults.append("\(error)")
    }
    guard let run = made.value else { return outcome }
    for task in run.tasks.withLock({ $0 }) { task.cancel() }
    for task in run.tasks.withLock({ $0 }) { await task.value }
    outcome.notes = run.noted.withLock { $0 }
    outcome.faults += run.disagreements.entries
    return outcome
  }

  private func note(_ number: Int) {
    if isOver.value > 0 { return }
    let time = Interval(clock.now.offset).nanoseconds
    let readings = [
      ("ContinuousClock", Interval(continuousStart.duration(to: .now)).nanoseconds),
      ("SuspendingClock", Interval(suspendingStart.duration(to: .now)).nanoseconds),
      ("the clock's date", Int64((clock.date.timeIntervalSince(dateAtStart) * 1e9).rounded())),
      ("Date", Int64((Date().timeIntervalSince(dateAtStart) * 1e9).rounded())),
    ]
    // On another executor, a task that the body has left reads them while the body ends.
    if isOver.value > 0 { return }
    for (name, reading) in readings where abs(reading - time) > (name.contains("Clock") ? 0 : 1_000) {
      disagreements.note("\(name) shows \(reading.inSeconds) at \(time.inSeconds), note \(number).")
    }
    noted.withLock { $0.append(ProgramNote(number: number, time: time)) }
  }

  // MARK: Steps

  private func perform(_ steps: ArraySlice<ProgramStep>, _ frame: Frame) async throws {
    for step in steps { try await perform(step, frame) }
  }

  private func perform(_ step: ProgramStep, _ frame: Frame) async throws {
    // What the body has left would go on in real time.
    if isOver.value > 0 { throw CancellationError() }
    switch step {
    case .note(let number): note(number)
    case .sleep(let form, let duration): try await sleep(form, duration)
    case .sleepUntilNext(let duration):
      let deadline = frame.deadline.withLock { deadline in
        deadline += .nanoseconds(duration)
        return deadline
      }
      if deadline > .now { try await Task.sleep(until: deadline, clock: .continuous) }
    case .yield(let count): for _ in 0..<count { await Task.yield() }
    case .compute(let time): TestSupport.compute(for: .microseconds(time))
    case .start(let number, let form, let program):
      let task = form.make(on: places[0]) { await self.perform(program) }
      keep(task)
      frame.tasks.withLock { $0[number] = task }
    case .wait(let number): await frame.tasks.withLock { $0[number] }?.value
    case .cancel(let number): frame.tasks.withLock { $0[number] }?.cancel()
    case .group(let programs):
      await withTaskGroup { group in
        for program in programs { group.addTask { await self.perform(program) } }
      }
    case .child(let program, let meanwhile):
      async let child: Void = perform(program)
      try await perform(meanwhile[...], frame)
      await child
    case .onActor(let actor, let program):
      if actor == 0 {
        try await performOnMainActor(program, frame)
      } else {
        try await places[actor - 1].run { try await self.perform(program[...], frame) }
      }
    case .timer(let every, let limit, let program):
      scheduler.schedule(every: .nanoseconds(every), limit: limit) { _ in await self.perform(program) }
    case .loop(let every, let count, let program):
      var rest = count
      for await _ in scheduler.ticks(every: .nanoseconds(every)) {
        try await perform(program[...], frame)
        rest -= 1
        if rest == 0 { break }
      }
    case .stream(let byTimer, let every, let count, let program):
      var rest = count
      for await _ in feed(byTimer: byTimer, .nanoseconds(every), count) {
        try await perform(program[...], frame)
        rest -= 1
        if rest == 0 { break }
      }
    case .limited(let limit, let program):
      do {
        try await withTimeout(.nanoseconds(limit), on: scheduler) { try await perform(program[...], Frame()) }
      } catch is TimeoutError {}
    case .measured(let program):
      let began = clock.now
      var result: Result<Void, any Error> = .success(())
      let measured = await ContinuousClock().measure {
        do { try await perform(program[...], frame) } catch { result = .failure(error) }
      }
      if isOver.value == 0, measured != began.duration(to: clock.now) {
        disagreements.note("It measures \(measured) after \(began.duration(to: clock.now)).")
      }
      try result.get()
    }
  }

  /// Runs a task's steps.
  private func perform(_ program: [ProgramStep]) async { try? await perform(program[...], Frame()) }

  @MainActor private func performOnMainActor(_ program: [ProgramStep], _ frame: Frame) async throws {
    MainActor.assertIsolated()
    try await perform(program[...], frame)
    MainActor.assertIsolated()
  }

  private func sleep(_ form: SleepForm, _ nanoseconds: Int64) async throws {
    let duration = Duration.nanoseconds(nanoseconds)
    switch form {
    case .task: try await Task.sleep(for: duration)
    case .nanoseconds: try await Task.sleep(nanoseconds: UInt64(nanoseconds))
    case .untilContinuous: try await Task.sleep(until: .now + duration, clock: .continuous)
    case .untilSuspending: try await SuspendingClock().sleep(until: .now + duration)
    case .clock: try await clock.sleep(for: duration)
    case .scheduler: try await scheduler.sleep(for: duration)
    }
  }

  /// A stream that gets values at each interval.
  private func feed(byTimer: Bool, _ every: Duration, _ count: Int) -> AsyncStream<Void> {
    let (stream, input) = AsyncStream.makeStream(of: Void.self)
    if byTimer {
      scheduler.schedule(every: every, limit: count) { _ in input.yield() }
    } else {
      let task = Task {
        for _ in 0..<count {
          guard (try? await Task.sleep(for: every)) != nil else { return }
          input.yield()
        }
      }
      keep(task)
    }
    return stream
  }

  /// Keeps a task, which is cancelled after the end. What a leftover task starts then would sleep in real
  /// time.
  private func keep(_ task: Task<Void, Never>) {
    tasks.withLock { $0.append(task) }
    if isOver.value > 0 { task.cancel() }
  }
}

/// An actor on which steps run and tasks are born.
private actor Place {
  private var count = 0

  func run(_ body: @Sendable () async throws -> Void) async rethrows {
    count += 1
    try await body()
    assertIsolated()
  }

  func make(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task {
      count += 1
      await body()
    }
  }
}

/// A global actor with a queue of its own.
@globalActor private actor Queued {
  static let shared = Queued()
  private static let executor = SerialQueueExecutor(label: "programs")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }
}

private let taskExecutor = QueueTaskExecutor(label: "programs of tasks")

extension TaskForm {
  fileprivate func make(on place: Place, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    switch self {
    case .task: Task { await body() }
    case .detached: Task.detached { await body() }
    case .immediate: Task.immediate { await body() }
    case .onActor:
      Task {
        let task = await place.make(body)
        await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
      }
    case .onQueue: Task { @Queued in await body() }
    case .onExecutor: Task(executorPreference: taskExecutor) { await body() }
    }
  }
}
