public import TimerSchedulingCluster
import TimerSchedulingFoundation

/// A check of everything a `TimerStore` has to do, for the tests of a store of your own.
///
/// ```swift
/// let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
/// try await TimerStoreContract(store) { try await Task.sleep(for: $0) }.check()
/// ```
///
/// It uses jobs with random names. The store may hold other jobs, too.
public struct TimerStoreContract: Sendable {
  /// An error that says how a store breaks the contract.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The rule of the contract that the store breaks.
    public var description: String
  }

  let store: any TimerStore
  let pass: @Sendable (Duration) async throws -> Void
  let job = "contract \(UUID())"
  let handler = "contract \(UUID())"
  let lease = Duration.seconds(1)
  /// The time from the end of a range to the moment at which its row is due again.
  let gap = Duration.seconds(1)
  /// Two replicas' sessions.
  let first = UUID()
  let second = UUID()

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - store: The store to check.
  ///   - pass: Lets time pass on the store's clock, by sleeping or by moving a virtual clock.
  public init(_ store: any TimerStore, pass: @escaping @Sendable (Duration) async throws -> Void) {
    self.store = store
    self.pass = pass
  }

  /// Checks the store, which takes some seconds on its clock.
  ///
  /// - Throws: ``Violation``, or the store's error.
  public func check() async throws {
    let unknown = try await claim(first, 1)
    try expect(unknown.isOver, "A session that isn't registered is over.")
    let registered = try await register(first)
    try await pass(.milliseconds(20))
    let claimed = try await checkFirstClaim(from: unknown.now, to: registered.now)
    try await checkHolder(of: claimed)
    try await checkEnds(of: claimed)
    try await checkDates()
    try await checkAbandonment()
    try await checkRepetition()
    try await checkPause()
    try await checkChange()
    try await checkPut()
    try await checkNames()
    try await checkOnce()
    try await checkAsked()
    try await checkCancellation()
    try await checkWaiting()
    try await checkPauses()
    try await checkStates()
    try await checkOptions()
    try await checkUnless()
    try await checkSteps()
    try await checkGivenUp()
    try await checkLimits()
    try await checkSuspects()
    try await checkExplanation()
    try await checkHistory()
    try await checkFailedHistory()
  }

  // MARK: Parts

  /// Checks the first claim of a job that was registered between two moments.
  private func checkFirstClaim(from began: StoreTime, to registered: StoreTime) async throws -> ClaimedRun {
    let answer = try await claim(first, 1)
    try expect(answer.now > registered, "The store's time advances.")
    let run = try unwrap(answer.runs.first, "A new job is due at once.")
    try expect(
      run.from > began && run.from <= registered.next && run.until > registered && run.until <= answer.now,
      "A range goes from the registration to the claim.")
    try expect(
      run.attempt == 1 && run.schedule == "one" && run.abandonedBy == nil, "A first claim is attempt 1.")
    let again = try await claim(first, 1, isRepeated: true)
    try expect(again.isOld && again.runs == [run], "A repeated claim brings the same.")
    try expect(try await claim(first, 2).runs.isEmpty, "A row that is held isn't due.")
    try expect(
      try await claim(first, 2, isRepeated: true).runs.isEmpty,
      "A repeated claim that brought nothing brings nothing.")
    let late = try await claim(first, 1, isRepeated: true)
    try expect(late.isOld && late.runs.isEmpty, "A late copy of a claim brings nothing.")
    return run
  }

  private func checkHolder(of run: ClaimedRun) async throws {
    try await register(second)
    let other = try await claim(second, 1)
    try expect(other.runs.isEmpty, "A row whose session lives is held.")
    try expect(
      other.next.map { $0 > other.now && $0 <= other.now + lease } == true,
      "The next moment of a row that is held is the end of its lease.")
    let renewed = try await store.renew(session: first, lease: lease, givenUp: [])
    try expect(!renewed.isOver && renewed.tokens == [run.token], "A renewal says what the session holds.")
    try expect(
      try await store.renew(session: second, lease: lease, givenUp: [run.token]).tokens == [],
      "A session gives up rows of its own only.")
    let shown = try await shownJob()
    try expect(
      shown?.run?.token == run.token && shown?.run?.replica == "replica \(first)" && shown?.schedule == "one",
      "A run under way is shown.")
  }

  private func checkEnds(of run: ClaimedRun) async throws {
    var end = end(of: run, .done)
    (end.date, end.missed) = (run.until, 2)
    let unknown = RunEnd(
      releasing: ClaimedRun(
        job: job, from: run.from, until: run.until, attempt: 1, token: -1, schedule: "one"))
    let answer = try await store.end([unknown, end])
    try expect(answer.verdicts == [.refused, .written], "Each end has its verdict, in order.")
    try expect(try await store.end([end]).verdicts == [.before], "An end may be written again.")
    let shown = try await shownJob()
    try expect(
      shown?.run == nil && shown?.lastTime == run.until && shown?.doneCount == 1 && shown?.missedCount == 2,
      "An end is shown: the last date, done runs and skipped dates.")
    try expect(shown?.nextTime == end.next, "The next date is that of the end.")
  }

  private func checkDates() async throws {
    let due = try unwrap(try await shownJob()?.nextTime, "The next date is that of the end.")
    let early = try await claim(first, 3)
    try expect(early.runs.isEmpty, "A row isn't claimed before it is due.")
    try expect(early.next == due, "A claim says when the next row is due.")
    try await pass(gap)
    try expect(
      try await claim(first, 4, except: [job]).runs.isEmpty,
      "Jobs that the replica doesn't want aren't claimed.")
    try expect(
      try await claim(first, 5, limit: 0).runs.isEmpty, "A claim brings no more rows than its limit.")
    let run = try unwrap(try await claim(first, 6).runs.first, "A row that is due is claimed.")
    try expect(
      run.from == (due - gap).next && run.until >= due,
      "A range begins after what the last end accounts for.")
    var failed = end(of: run, .failed)
    (failed.date, failed.failure) = (due, "it's broken „ß“ \\ \"")
    _ = try await store.end([failed])
    let record = try await store.history(of: job, limit: 1).first
    try expect(
      record?.outcome == .failed && record?.failure == failed.failure && record?.scheduledTime == due,
      "A failure is recorded.")
  }

  // MARK: Requests

  /// Registers a session of a replica with the job's schedule. A declared schedule becomes the store's.
  @discardableResult
  func register(
    _ session: UUID, schedule: String = "one", isDeclared: Bool = true, resumes: Bool = false
  ) async throws -> SessionAnswer {
    try await store.answer(
      SessionRegistration(
        session: session, replica: "replica \(session)", lease: lease.wholeMicroseconds,
        serves: [job: schedule],
        declares: isDeclared ? [job] : [], resumes: resumes ? [job] : []))
  }

  func claim(
    _ session: UUID, _ number: Int64, isRepeated: Bool = false, limit: Int = 10, except: [String] = [],
    exceptHandlers: [String] = [], rooms: [String: Int] = [:]
  ) async throws -> ClaimAnswer {
    try await store.answer(
      ClaimRequest(
        session: session, number: number, isRepeated: isRepeated, limit: limit,
        lease: lease.wholeMicroseconds, except: except, exceptHandlers: exceptHandlers,
        rooms: rooms))
  }

  /// An end that accounts for the whole range, after which the row is due a while after the range's end.
  func end(of run: ClaimedRun, _ outcome: RunEnd.Outcome) -> RunEnd {
    RunEnd(
      token: run.token, outcome: outcome, through: run.until, next: run.until + gap, schedule: "one",
      missed: 0)
  }

  func shownJob() async throws -> ClusterJob? { try await store.jobs().first { $0.name == job } }

  func expect(_ condition: Bool, _ rule: String) throws {
    if !condition { throw Violation(description: rule) }
  }

  func unwrap<Value>(_ value: Value?, _ rule: String) throws -> Value {
    guard let value else { throw Violation(description: rule) }
    return value
  }
}
