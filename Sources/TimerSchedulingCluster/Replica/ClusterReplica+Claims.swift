import TimerScheduling
import TimerSchedulingFoundation

extension ClusterReplica {
  /// Has the replica claim at a moment. Without a moment, at once.
  func wake(at moment: StoreTime? = nil) {
    replan { $0.want(at: moment) }
    // A shutdown takes no time of a clock that stands still.
    state.withLock { $0.closing == nil ? nil : $0.claims }?.fire()
  }

  /// Has the replica claim within 10 ms, as the store has told it of a change. Others are told, too, so each
  /// draws a moment: when most of them ask, one has taken the row.
  func wakeForChange() {
    let spread = Duration.milliseconds(10)
    let wait = companion.wait(after: 1, .exponential(from: spread, upTo: spread))
    replan { [now] in $0.wantForChange(at: now.map { $0 + wait }) }
  }

  private func replan(_ change: (inout ClaimPlan) -> Void = { _ in }) {
    state.withLock { state in
      if state.isEmpty { state.plan = ClaimPlan() }
      change(&state.plan)
      let isIdle = state.isEmpty && !state.session.isKnown
      let now = state.now(at: elapsed)
      // Rows may have been changed or put, and the store's clock may have been set. A claim renews the lease
      // of an idle session if less than half of it is left, so the next one comes before that has passed.
      let look = isIdle ? .seconds(86_400) : min(lease * 2 / 5, .seconds(state.handlers.isEmpty ? 60 : 1))
      let rest = state.restEnd.flatMap { end in now.map { min(end - $0, .seconds(86_400)) } }
      let wait = state.plan.wait(at: elapsed, now: now, longest: rest ?? look)
      state.claims?.reschedule(.wakeup(after: wait))
    }
  }

  /// Registers what the store doesn't know yet, and claims.
  func look() async {
    let changes = endListening()
    do {
      if state.withLock(\.isEmpty) {
        await close()
      } else if let registration = nextRegistration() {
        try await register(registration)
      } else {
        try await claim()
        if let changes { listen(since: changes) }
      }
    } catch {
      replan { $0.failed(at: elapsed, first: lease / 10, longest: lease) }
      report(.storeFailed(replica: name, underlying: error))
    }
    // In a shutdown, the last job may have ended meanwhile.
    if state.withLock({ $0.closing != nil && $0.isEmpty }) { await close() }
    replan()
  }

  /// Gives up the session of a replica without jobs, so that others don't wait for its end.
  private func close() async {
    let session = state.withLock { state -> ReplicaSession? in
      // The runs under way end first, and rows whose runs never begin are released. The session ends with
      // rows given up.
      guard state.isEmpty, state.runs.isEmpty else { return nil }
      // One whose registration has no answer is registered again, so that the store has one session of the
      // replica.
      let session = state.session
      if session.isKnown { (state.session, state.givenUp) = (ReplicaSession(after: session), []) }
      return session
    }
    guard let session else { return }
    endWatching()
    if session.isKnown {
      // Without an answer, the session is over after its lease.
      try? await companion.ask(store, within: lease / 3) { try await $0.close(session: session.id) }
    }
    let (closing, watch) = state.withLock { ($0.closing.take(), $0.watch) }
    // After a shutdown the watch calls nothing of the program any more. `closing` limits the wait.
    if closing != nil { await watch?.value }
    closing?.cancel()
  }

  /// Begins the end of this replica's part, as the scheduler is shut down. The session ends with the last of
  /// its timers. Returns a function that waits for that, and for a claim under way, whose rows are released.
  func beginClosing() -> ShutdownClosings.End {
    // It holds the replica, which no timer of the scheduler does any more.
    let closing = companion.schedule(.after(lease)) { _ in _ = self }
    state.withLock { $0.closing = closing }
    wake()
    return { [id = ObjectIdentifier(self)] in
      // The session ends after the run that waits here.
      if let run = ActionRun.currentContext as? ActiveRun, ObjectIdentifier(run.replica) == id { return }
      await closing.waitUntilFinished()
    }
  }

  private func nextRegistration() -> SessionRegistration? {
    state.withLock { state in
      guard let declares = state.session.declares else { return nil }
      let serves = state.jobs.compactMapValues { $0.dates?.fingerprint }
      return SessionRegistration(
        session: state.session.id, replica: name, lease: lease.wholeMicroseconds, serves: serves,
        declares: declares.filter { serves[$0] != nil }.sorted(), resumes: state.session.resumes.sorted(),
        handlers: state.handlers.keys.sorted())
    }
  }

  private func register(_ registration: SessionRegistration) async throws {
    let answer = try await ask({ try await $0.answer(registration) }, now: \.now)
    if answer.isOver { return cutOff(registration.session) }
    state.withLock { state in
      guard state.session.id == registration.session else { return }
      let isAll =
        Set(state.jobs.keys) == Set(registration.serves.keys)
        && Set(state.handlers.keys) == Set(registration.handlers)
      state.session.registered(Set(registration.declares), locked: Set(answer.locked), isAll: isAll)
      state.plan.want(at: nil)
    }
    beginWatching()
  }

  /// The greatest number of rows of one claim, and of runs of handlers that wait to begin.
  private var limit: Int { 100 }
  /// The number of runs from which on the replica leaves jobs that were put to others.
  static let capacity = 1_000

  private func claim() async throws {
    let (jobs, handlers, isFull, unwanted) = state.withLock { state in
      state.isFull = !state.handlers.isEmpty && state.runs.count + state.lost.count >= Self.capacity
      let unreadable = state.unreadable.filter { elapsed < $0.value.retry }
      let unwanted = unreadable.keys + Array(state.lost.values)
      return (state.jobs, state.handlers, state.isFull, unwanted)
    }
    // Not under the lock, as a timer whose state is read may be over, and calls `remove`.
    let except = Set(jobs.filter { $0.value.timers.room == 0 }.keys).union(unwanted)
    // Rows of handlers that threads can't begin now are left to others.
    let waiting = handlers.values.reduce(0) { $0 + $1.timers.waitingCount }
    let rooms = handlers.mapValues { isFull ? 0 : min($0.timers.room, max(0, limit - waiting)) }
    let request = state.withLock { state -> ClaimRequest? in
      state.isShort = waiting > 0
      // The replica may have been cut off since it looked, and have a new session.
      guard let claim = state.session.sends() else { return nil }
      state.plan.sends(at: state.now(at: elapsed))
      return ClaimRequest(
        session: state.session.id, number: claim.number, isRepeated: claim.isRepeated, limit: limit,
        lease: lease.wholeMicroseconds, except: except.sorted(),
        exceptHandlers: rooms.filter { $0.value == 0 }.keys.sorted(),
        rooms: rooms.filter { 1..<limit ~= $0.value }, limits: handlers.compactMapValues(\.limits))
    }
    guard let request else { return }
    let asked = elapsed
    let answer = try await ask({ try await $0.answer(request) }, now: \.now)
    if answer.isOver { return cutOff(request.session) }
    // A third of the lease must be left, so that the runs can end before another replica may take over.
    if !answer.runs.isEmpty, elapsed - asked >= lease * 2 / 3 {
      return state.withLock { $0.plan.want(at: nil) }
    }
    let locked = state.withLock { state in
      state.session.id == request.session ? state.session.answered() : nil
    }
    // If the replica was cut off meanwhile, what it got then is for others.
    guard let locked else { return answer.runs.forEach { settle(ActiveRun($0, on: self)) } }
    begin(answer.runs, asked: asked, now: answer.now)
    tidy(at: answer.now)
    // The row of a job may be held by another replica, which may die after its run.
    let idle = jobs.values.filter { $0.timers.room == $0.timers.limit }
    let dates = idle.compactMap { $0.nextDate(after: answer.now) }
    plan(after: answer, request.limits, nextDate: dates.min())
    note(answer, locked: locked)
  }

  private func plan(after answer: ClaimAnswer, _ limits: [String: HandlerLimits], nextDate: StoreTime?) {
    state.withLock { state in
      // Of a handler with limits, a claim brings a few rows of each key.
      let mayBeMore = answer.runs.count == limit || answer.runs.contains { limits[$0.handler] != nil }
      let isDeclared = answer.unserved.isEmpty && answer.missing.isEmpty
      if answer.isOld || mayBeMore || !isDeclared { state.plan.want(at: nil) }
      let stepBack = lease / 10 * Double.random(in: 0...1)
      if let next = answer.next, next <= answer.now, answer.runs.isEmpty {
        // Others have locked the row, or are about to take it.
        state.plan.foundLock(at: elapsed, first: .milliseconds(50), longest: lease / 3, stepBack: stepBack)
      } else {
        state.plan.answered(
          // A row that limits hold back isn't lost to others.
          hasRows: !answer.runs.isEmpty || !limits.isEmpty, next: answer.next, now: answer.now,
          stepBack: stepBack)
      }
      if let nextDate { state.plan.want(since: nextDate) }
      // A schedule that no replica has any more gives way to this one's, and a job without a row gets one.
      if !isDeclared { state.session.declare(Set(answer.missing), resumes: Set(answer.unserved)) }
    }
  }

  /// Reports what the observer should know of an answer. The rows of `locked` were locked when their jobs
  /// were declared.
  private func note(_ answer: ClaimAnswer, locked: Set<String>) {
    for run in answer.runs {
      if let other = run.abandonedBy { report(.runAbandoned(job: run.job, token: run.token, replica: other)) }
    }
    let errors = state.withLock { state in
      state.troubles.update(
        answer, locked: locked, replica: name, isFull: state.isFull, at: elapsed, lease: lease)
    }
    for error in errors { report(error) }
  }

  /// Has the store tell when others have made jobs due, until ``endWatching()``.
  func beginWatching() {
    guard state.withLock({ $0.watch?.isCancelled ?? true }) else { return }
    let watch = Task.detached { [weak self, store, companion, name, lease] in
      while !Task.isCancelled {
        do {
          return try await store.watch { [weak self] in self?.wakeForChange() }
        } catch {
          if Task.isCancelled { return }
          self?.report(.storeFailed(replica: name, underlying: error))
        }
        try? await companion.sleep(for: lease / 3)
        // The store may have told of changes meanwhile.
        self?.wakeForChange()
      }
    }
    state.withLock { $0.watch = watch }
  }

  func endWatching() { state.withLock(\.watch)?.cancel() }
}
