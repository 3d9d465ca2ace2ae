import Dispatch
import TimerScheduling

/// The jobs of the process that run on the global executor, starting with the first virtual clock.
///
/// The runtime calls a hook before it gives a job to its global executor. The tracker takes over these jobs and runs
/// them on Dispatch's threads, as the global executor does. So it knows when each job has ended, and tells the clock
/// about the jobs that belong to a participant. Only a hook sees them all: libraries create tasks with `Task { }`,
/// which inherit no executor. swift-clocks and swift-concurrency-extras use the same hook.
///
/// There is one tracker for the process, as there is one hook.
final class JobTracker: Sendable {
  static let shared = JobTracker()

  private struct State {
    /// The jobs that have yet to end, by the numbers that the tracker gives them.
    var open: [UInt64: Job] = [:]
    var lastNumber: UInt64 = 0
    /// The clocks of the participants' tasks.
    var clocks: [TaskIdentity: ClockReference] = [:]
    /// By the numbers that the tracker gives them.
    var waits: [UInt64: JobWait] = [:]
    /// The number of jobs without a task, through which a task goes to an actor from the main actor or a user's
    /// executor.
    var actorJobCount = 0

    mutating func makeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    /// Notes that one of the ends that a wait waits for has come. Returns the task to resume if it was the last.
    mutating func noteEnd(for wait: UInt64) -> CheckedContinuation<Void, Never>? {
      guard let count = waits[wait]?.count else { return nil }
      if count == 1 { return waits.removeValue(forKey: wait)?.continuation }
      waits[wait]?.count = count - 1
      return nil
    }
  }

  private struct ClockReference {
    weak var clock: VirtualClockCore?
  }

  private struct Job {
    let task: TaskIdentity
    var isRunning = false
    /// Whether a wait for it has timed out.
    var takesLong = false
    /// The clock that is told about it.
    var clock: ClockReference?
    /// The numbers of the waits for its end.
    var waits: [UInt64] = []
  }

  /// A task that waits for jobs to end.
  private struct JobWait {
    /// The number of jobs that have yet to end, and of executors that have yet to run a further one.
    var count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Guards all state. No other lock is taken while this one is held.
  private let state = Lock(State())

  private init() {}

  // MARK: Participants

  /// Tells a clock about a task's jobs from now on. Returns the number of jobs that are queued or running.
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

  /// Stops telling clocks about new jobs of these tasks.
  func forget(_ tasks: Set<TaskIdentity>) {
    guard !tasks.isEmpty else { return }
    state.withLock { state in
      for task in tasks { state.clocks[task] = nil }
    }
  }

  // MARK: Jobs

  /// Takes over jobs from now on. A hook set by another library stays in place.
  static func install() {
    shared.state.withLock { _ in
      ConcurrencyRuntime.hookGlobalExecutor { job, _ in
        JobTracker.shared.enqueue(job, for: nil) { ConcurrencyRuntime.run(job) }
      }
    }
  }

  /// Runs a job, and tells its clock about it: `clock`, or that of its task or of the task that enqueued it.
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

  /// Returns the quality of service of the job's queue. The global executor has the same five.
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
    guard let job = state.withLock({ $0.open.removeValue(forKey: number) }) else { return }
    job.clock?.clock?.jobEnded(job.task)
    for wait in job.waits { noteEnd(for: wait) }
  }

  // MARK: Threads

  /// A number greater than those of all jobs so far.
  var nextNumber: UInt64 { state.withLock { $0.makeNumber() } }

  /// Returns whether a job with a number below `number` is still waiting for a thread.
  func isHeldUp(before number: UInt64) -> Bool {
    state.withLock { state in state.open.contains { $0.key < number && !$0.value.isRunning } }
  }

  // MARK: Waiting for jobs

  /// The tasks for which a clock waits.
  enum Subject {
    /// The tasks of its participants.
    case participants
    /// Any tasks, as one of them may be about to become a consumer.
    case all
  }

  /// Waits until a task that is under way has run, even if none of its jobs is known: a task of the main actor, one
  /// that waits for an actor occupied by another task, or one that has yielded.
  ///
  /// A round waits until each of these executors has run one further job. A participant's own jobs are known to its
  /// clock. But other tasks may occupy an actor for which the participant waits. So a round also waits for the jobs
  /// that may do so at its beginning: those that run, and those without a task, which are actors'.
  ///
  /// During a round a task may have gone from one actor to another. So rounds are repeated until there were two in a
  /// row in which none did, but not often, as the tasks of other tests never stop.
  ///
  /// - Parameters:
  ///   - executors: Further serial executors that may have to run a task.
  ///   - limit: The longest time a round waits for running jobs. A job that takes longer isn't waited for again. A
  ///     round waits longer for jobs that have yet to get a thread, for the main actor and for the executors.
  /// - Returns: The number of rounds.
  func waitForJobs(of subject: Subject, on executors: [any TaskExecutor], limit: Duration) async -> Int {
    var (roundCount, quietCount) = (0, 0)
    while roundCount < Self.roundLimit, quietCount < 2 {
      let count = state.withLock { $0.actorJobCount }
      await waitForRound(of: subject, on: executors, limit: limit)
      roundCount += 1
      quietCount = state.withLock { $0.actorJobCount } == count ? quietCount + 1 : 0
    }
    return roundCount
  }

  /// The largest number of rounds: for a task that goes from the main actor to an actor in use, one for the main actor,
  /// one for the job that occupies the actor, one for the actor's own job, and one more.
  private static let roundLimit = 4

  private func waitForRound(of subject: Subject, on executors: [any TaskExecutor], limit: Duration) async {
    let number = nextNumber
    let timeout = Task.detached {
      try? await Task.sleep(for: limit)
      self.giveUpJobs(of: number)
      try? await Task.sleep(for: VirtualClockCore.holdupLimit)
      self.giveUp(number)
    }
    defer { timeout.cancel() }
    await withCheckedContinuation { continuation in
      state.withLock { state in
        let jobs = state.open.filter { _, job in
          !job.takesLong && (subject == .all || job.isRunning || job.task.isNone)
        }
        for job in jobs.keys { state.open[job]?.waits.append(number) }
        state.waits[number] = JobWait(count: jobs.count + executors.count + 2, continuation: continuation)
      }
      Task { @MainActor in self.noteEnd(for: number) }
      // The hook isn't called for the jobs of tasks that yield.
      Task {
        await Task.yield()
        self.noteEnd(for: number)
      }
      for executor in executors {
        Task.detached(executorPreference: executor) { self.noteEnd(for: number) }
      }
    }
  }

  private func noteEnd(for wait: UInt64) {
    state.withLock { $0.noteEnd(for: wait) }?.resume()
  }

  /// Lets a wait continue without the running jobs, which take too long.
  private func giveUpJobs(of wait: UInt64) {
    let waiting = state.withLock { state in
      var waiting: CheckedContinuation<Void, Never>?
      guard state.waits[wait] != nil else { return waiting }
      for (number, job) in state.open where job.isRunning && job.waits.contains(wait) {
        state.open[number]?.takesLong = true
        state.open[number]?.waits.removeAll { $0 == wait }
        waiting = state.noteEnd(for: wait)
      }
      return waiting
    }
    waiting?.resume()
  }

  private func giveUp(_ wait: UInt64) {
    state.withLock { $0.waits.removeValue(forKey: wait) }?.continuation.resume()
  }
}
