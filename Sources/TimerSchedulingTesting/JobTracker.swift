import Dispatch
import TimerScheduling

/// The jobs of the process that run on the global executor, from the first virtual clock on.
///
/// The runtime asks a hook before it gives a job to its global executor. The tracker takes these jobs over and runs them on
/// threads of Dispatch, as the global executor does. So it knows when each of them has ended, and tells the clock of those
/// that belong to a participant. A hook is the only way: libraries make tasks with `Task { }`, which inherit no executor.
/// swift-clocks and swift-concurrency-extras use the same one.
///
/// There is one tracker for the process, as there is one hook.
final class JobTracker: Sendable {
  static let shared = JobTracker()

  private struct State {
    /// The jobs that have yet to end, by numbers that the tracker gives to jobs.
    var open: [UInt64: Job] = [:]
    var lastNumber: UInt64 = 0
    /// The clocks of the tasks of participants.
    var clocks: [TaskIdentity: ClockReference] = [:]
    var waits: [JobWait] = []
    /// The number of actors that a task went to from the main actor or from an executor of the user's.
    var actorJobCount = 0

    mutating func makeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    /// Takes out the waits that are over.
    mutating func takeOver() -> [JobWait] {
      let over = waits.filter(\.jobs.isEmpty)
      if !over.isEmpty { waits.removeAll(where: \.jobs.isEmpty) }
      return over
    }
  }

  private struct ClockReference {
    weak var clock: VirtualClockCore?
  }

  private struct Job {
    let task: TaskIdentity
    var isRunning = false
    /// Whether it was waited for in vain.
    var takesLong = false
    /// The clock that counts it.
    var clock: ClockReference?
  }

  /// A task that waits for the end of jobs.
  private struct JobWait {
    let number: UInt64
    var jobs: Set<UInt64>
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Guards all of it. No other lock is taken while it is held.
  private let state = Lock(State())

  private init() {}

  // MARK: Participants

  /// From now on a clock is told of a task's jobs. Returns how many are queued or running.
  @discardableResult
  func watch(_ task: TaskIdentity, for clock: VirtualClockCore) -> Int {
    let reference = ClockReference(clock: clock)
    return state.withLock { state in
      state.clocks[task] = reference
      let jobs = state.open.filter { $0.value.task == task }
      for number in jobs.keys { state.open[number]?.clock = reference }
      return jobs.count
    }
  }

  /// Tells no clock of the next jobs of these tasks.
  func forget(_ tasks: Set<TaskIdentity>) {
    guard !tasks.isEmpty else { return }
    state.withLock { state in
      for task in tasks { state.clocks[task] = nil }
    }
  }

  // MARK: Jobs

  /// Takes jobs over, from now on. A hook that another library has set is left alone.
  static func install() {
    shared.state.withLock { _ in
      ConcurrencyRuntime.hookGlobalExecutor { job, _ in
        JobTracker.shared.enqueue(job, for: nil) { ConcurrencyRuntime.run(job) }
      }
    }
  }

  /// Has a job run, and tells its clock of it: `clock`, or that of its task.
  func enqueue(_ job: UnownedJob, for clock: VirtualClockCore?, _ run: @escaping @Sendable () -> Void) {
    let (task, creator) = (TaskIdentity(of: job), TaskIdentity.current)
    let (number, jobClock) = state.withLock { state in
      let number = state.makeNumber()
      let reference =
        clock.map { ClockReference(clock: $0) } ?? state.clocks[task] ?? creator.flatMap { state.clocks[$0] }
      state.open[number] = Job(task: task, clock: reference)
      if task.isNone { state.actorJobCount += 1 }
      return (number, reference?.clock)
    }
    jobClock?.jobEnqueued(task, by: creator)
    DispatchQueue.global(qos: Self.serviceClass(for: job.priority)).async {
      self.state.withLock { $0.open[number]?.isRunning = true }
      run()
      self.jobEnded(number)
    }
  }

  /// The global executor has a queue for each of these, too.
  private static func serviceClass(for priority: JobPriority) -> DispatchQoS.QoSClass {
    switch priority.rawValue {
    case 0x21...: .userInteractive
    case 0x19...: .userInitiated
    case 0x15...: .default
    case 0x11...: .utility
    default: .background
    }
  }

  private func jobEnded(_ number: UInt64) {
    if let job = state.withLock({ $0.open.removeValue(forKey: number) }) {
      job.clock?.clock?.jobEnded(job.task)
    }
    endWaits(for: number)
  }

  // MARK: Threads

  /// A number that is greater than those of all jobs so far.
  var nextNumber: UInt64 { state.withLock { $0.makeNumber() } }

  /// Whether a job with a lower number than `number` still waits for a thread.
  func isHeldUp(before number: UInt64) -> Bool {
    state.withLock { state in state.open.contains { $0.key < number && !$0.value.isRunning } }
  }

  // MARK: Waiting for jobs

  /// Waits until a task that is under way has been run, though no job of it is known: by the main actor, by an actor that
  /// another task occupies, or after it has yielded.
  ///
  /// A round lasts until each of these has given its thread back once, with all jobs that are known at its beginning. A task
  /// may have left one actor for another in it. So there are rounds until two of them have seen none go.
  ///
  /// - Parameters:
  ///   - executors: Serial executors that may have to run a task, too.
  ///   - limit: How long a round waits for jobs that run. One that takes longer isn't waited for again. For jobs that have
  ///     yet to find a thread, and for the main actor and the executors, a round waits longer.
  func waitForJobs(on executors: [any TaskExecutor], limit: Duration) async {
    var quietCount = 0
    for _ in 0..<Self.roundLimit where quietCount < 2 {
      let count = state.withLock { $0.actorJobCount }
      await waitForRound(on: executors, limit: limit)
      quietCount = state.withLock { $0.actorJobCount } == count ? quietCount + 1 : 0
    }
  }

  /// Beside tests that use the main actor all the time, no two rounds may be quiet.
  private static let roundLimit = 100

  private func waitForRound(on executors: [any TaskExecutor], limit: Duration) async {
    let (number, markers) = state.withLock { state in
      (state.makeNumber(), (0..<executors.count + 2).map { _ in state.makeNumber() })
    }
    let timeout = Task.detached {
      try? await Task.sleep(for: limit)
      self.giveUpJobs(of: number)
      try? await Task.sleep(for: VirtualClockCore.holdupLimit)
      self.giveUp(number)
    }
    defer { timeout.cancel() }
    await withCheckedContinuation { continuation in
      state.withLock { state in
        let jobs = Set(state.open.lazy.filter { !$0.value.takesLong }.map(\.key)).union(markers)
        state.waits.append(JobWait(number: number, jobs: jobs, continuation: continuation))
      }
      Task { @MainActor in self.endWaits(for: markers[0]) }
      // The hook isn't asked for the jobs of tasks that yield.
      Task {
        await Task.yield()
        self.endWaits(for: markers[1])
      }
      for (executor, marker) in zip(executors, markers.dropFirst(2)) {
        Task.detached(executorPreference: executor) { self.endWaits(for: marker) }
      }
    }
  }

  private func endWaits(for job: UInt64) {
    let over = state.withLock { state in
      for index in state.waits.indices { state.waits[index].jobs.remove(job) }
      return state.takeOver()
    }
    for wait in over { wait.continuation.resume() }
  }

  /// A wait goes on without the jobs that take long.
  private func giveUpJobs(of number: UInt64) {
    let over = state.withLock { state in
      guard let index = state.waits.firstIndex(where: { $0.number == number }) else { return [JobWait]() }
      for job in state.waits[index].jobs where state.open[job]?.isRunning == true {
        state.open[job]?.takesLong = true
        state.waits[index].jobs.remove(job)
      }
      return state.takeOver()
    }
    for wait in over { wait.continuation.resume() }
  }

  private func giveUp(_ number: UInt64) {
    let wait = state.withLock { state in
      state.waits.firstIndex { $0.number == number }.map { state.waits.remove(at: $0) }
    }
    wait?.continuation.resume()
  }
}
