import TimerScheduling
import TimerSchedulingFoundation

/// One replica of a cluster: its session at the store, its jobs and its runs.
///
/// Three things ask the store, each one request at a time: ``look()`` claims for all jobs, ``renew()`` keeps
/// the rows of all runs, and ``EndQueue`` reports the ends of runs. A request that hangs is left behind.
final class ClusterReplica: Sendable {
  struct State {
    /// The microseconds by which the store's clock is ahead of ``elapsed``. Nil until its first answer.
    var lead: Int64?
    /// How wrong that may be: half the time that the answer took.
    var leadError = Duration.zero
    var session = ReplicaSession()
    var jobs: [String: RunDriver] = [:]
    var handlers: [String: RunDriver] = [:]
    /// Whether the last claim was without jobs that were put, as there are too many runs.
    var isFull = false
    /// Whether the last claim was for fewer of them, as runs were waiting for threads.
    var isShort = false
    /// The runs whose rows the session holds, by token.
    var runs: [Int64: ActiveRun] = [:]
    /// The jobs of runs that were cut off and haven't ended yet, by token. Until then their rows are for
    /// others.
    var lost: [Int64: String] = [:]
    /// The rows that the session is to give up.
    var givenUp: Set<Int64> = []
    /// When the last request was sent whose answer has confirmed that the session holds its rows.
    var confirmed = Duration.zero
    /// When the next renewal is due.
    var renewal: Duration?
    var plan = ClaimPlan()
    /// Until when the replica makes no request unless the store tells of a change. Nil if it doesn't rest.
    var restEnd: StoreTime?
    var troubles = ClaimTroubles()
    /// The jobs that have failed and aren't over. Only the first error of each is printed.
    var failing: Set<String> = []
    /// The jobs that were put whose schedules this program can't read, and when each is claimed again.
    var unreadable: [String: (schedule: String, retry: Duration)] = [:]
    /// Set under the lock, so that the last one to set them knows all.
    var claims, renewals, deadline: ScheduledTimer?
    /// The task in which the store tells of changes, which may be cancelled.
    var watch: Task<Void, Never>?
    /// After a shutdown, the timer that waits for the end of the session.
    var closing: ScheduledTimer?
    /// When old records of runs are deleted.
    var tidied = Duration.zero

    var isEmpty: Bool { jobs.isEmpty && handlers.isEmpty }

    /// The store's time, estimated from its last answer. Nil until then.
    func now(at elapsed: Duration) -> StoreTime? {
      lead.map { StoreTime(microseconds: $0 + elapsed.wholeMicroseconds) }
    }
  }

  let name: String
  let store: any TimerStore
  /// The store if it tells of each change, and has the scheduler's virtual clock. Then the replica rests when
  /// it can.
  let telling: MemoryTimerStore?
  let lease: Duration
  let history: HistoryLimits
  /// The scheduler that makes requests, on threads of its own, so that actions that block theirs don't hold
  /// up the lease. It has the time of the user's scheduler and outlives its shutdown, so that runs that
  /// continue keep their leases.
  let companion: TimerScheduler
  /// The user's scheduler, which runs actions.
  let scheduler: TimerScheduler
  let ends: EndQueue
  /// Locks of timers and of a scheduler are taken under it. But the state of a timer of ``RunTimers`` isn't
  /// read, as that may end the timer, which calls ``remove(_:)``.
  let state = Lock(State())

  init(
    name: String, store: any TimerStore, lease: Duration, history: HistoryLimits,
    beside scheduler: TimerScheduler, telling: MemoryTimerStore?
  ) {
    self.telling = telling
    self.history = history
    (self.name, self.store, self.lease, self.scheduler) = (name, store, lease, scheduler)
    companion = scheduler.makeCompanion(label: "TimerScheduling.cluster")
    ends = EndQueue(store: store, companion: companion, longest: lease / 3)
    let claims = companion.schedule(.wakeup()) { [weak self] _ in await self?.look() }
    let renewals = companion.schedule(.wakeup()) { [weak self] _ in await self?.renew() }
    let deadline = companion.schedule(.wakeup()) { [weak self] _ in self?.cutOffIfLate() }
    state.withLock { ($0.claims, $0.renewals, $0.deadline) = (claims, renewals, deadline) }
    scheduler.driver.onShutdown(of: ObjectIdentifier(self)) { [weak self] in self?.beginClosing() }
    if telling == nil { return }
    scheduler.driver.onClockSet(of: ObjectIdentifier(self)) { [weak self] in self?.wake() }
  }

  deinit {
    endWatching()
    _ = telling?.endListening(for: state.withLock(\.session.id))
    scheduler.driver.onShutdown(of: ObjectIdentifier(self), nil)
    scheduler.driver.onClockSet(of: ObjectIdentifier(self), nil)
    for timer in state.withLock({ [$0.claims, $0.renewals, $0.deadline] }) { timer?.cancel() }
  }

  /// The time on a clock that is never set.
  var elapsed: Duration { companion.clock.now.offset }

  var now: StoreTime? { state.withLock { [elapsed] in $0.now(at: elapsed) } }

  /// Asks the store, waits at most a part of the lease, and sets the view of the store's clock by the answer.
  func ask<Answer: Sendable>(
    leasePart: Int = 3, _ question: @escaping @Sendable (any TimerStore) async throws -> Answer,
    now time: (Answer) -> StoreTime
  ) async throws -> Answer {
    let sent = elapsed
    let answer = try await companion.ask(store, within: lease / leasePart, question)
    // The store may have read its clock at any time between, such as after a wait for a lock.
    let error = (elapsed - sent) / 2
    let lead = time(answer).microseconds - (sent + error).wholeMicroseconds
    let (step, limit) = state.withLock { state in
      let (step, limit) = (Duration.microseconds(lead - (state.lead ?? lead)), state.leadError + error)
      // A slow answer doesn't replace what a faster one has told, unless they contradict each other.
      let isWorse = state.lead != nil && error > state.leadError && max(step, .zero - step) <= error
      if !isWorse { (state.lead, state.leadError) = (lead, error) }
      return (step, limit)
    }
    if max(step, .zero - step) > .seconds(1) + limit {
      report(ClusterError.storeClockSet(by: step))
      // Jobs may be accounted for beyond now.
      if step < .zero { state.withLock { $0.session.declare([]) } }
    }
    return answer
  }

  var printsFailures: Bool { scheduler.driver.printsFailures && !scheduler.driver.isObserved }

  /// Tells the observer about an error that belongs to no run, or prints it if there is none.
  func report(_ error: ClusterError) {
    if printsFailures { return StandardError.print("TimerScheduling: \(error)") }
    scheduler.schedule(.after(.zero)) { _ in throw error }
  }

  /// Adds a job, whose schedule becomes the store's, or a handler. It takes the place of one with the same
  /// name.
  func add(_ driver: RunDriver) {
    let old = state.withLock { state in
      state.session.declare(driver.dates == nil ? [] : [driver.name])
      return state[keyPath: driver.table].updateValue(driver, forKey: driver.name)
    }
    old?.timers.cancel()
    wake()
  }

  func remove(_ driver: RunDriver) {
    state.withLock { state in
      guard state[keyPath: driver.table][driver.name] === driver else { return }
      state[keyPath: driver.table][driver.name] = nil
      state.session.declare([])
    }
    wake()
  }

  func dates(of job: String) -> ClusterDates? { state.withLock { $0.jobs[job]?.dates } }
}

/// The ages and the number up to which records of runs are kept. Nil for all.
struct HistoryLimits {
  var age, failedAge: Duration?
  var count: Int?
}

extension TimerScheduler {
  /// Returns the answer of a store. Throws `TimeoutError` if there is none in time.
  ///
  /// The request is then cancelled and left behind, as a client may not notice that, such as one whose
  /// connection is half open. The store may still perform it, after later ones. A scheduler that was shut
  /// down asks nothing.
  nonisolated func ask<Answer: Sendable>(
    _ store: any TimerStore, within limit: Duration,
    _ question: @escaping @Sendable (any TimerStore) async throws -> Answer
  ) async throws -> Answer {
    // SQLite takes the machine's time, and the limit would be that of a virtual clock.
    if driver.clock.virtual != nil, store is SQLiteTimerStore { return try await question(store) }
    if driver.isShutDown { throw CancellationError() }
    let (answers, answer) = AsyncThrowingStream<Answer, any Error>.makeStream()
    let request = makeTask {
      do {
        answer.yield(try await question(store))
      } catch {
        answer.finish(throwing: error)
      }
    }
    defer { request.cancel() }
    return try await withTimeout(limit, on: self) {
      for try await answer in answers { return answer }
      throw CancellationError()
    }
  }

  /// Does something in a task of its own, which isn't cancelled with the caller's, such as that of a run.
  nonisolated func uncancelled<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = makeTask { () -> Result<Value, any Error> in
      do {
        return .success(try await operation())
      } catch {
        return .failure(error)
      }
    }
    return try await value(of: task).get()
  }
}

extension TimerSchedule {
  /// One wakeup. The timer then waits for a day, or until it is set again.
  static func wakeup(after wait: Duration = .seconds(86_400)) -> TimerSchedule {
    .every(.seconds(86_400), starting: .after(max(wait, .zero)))
  }
}
