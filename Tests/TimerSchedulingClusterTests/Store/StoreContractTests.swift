import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingClusterTesting
import TimerSchedulingTesting

/// The contract names the rule that a store breaks.
@Suite(.limited) struct StoreContractTests {
  /// Each rule, with alterations that break it and no earlier one.
  static let violations: [(rule: String, alterations: AlteredStore.Alterations)] = [
    ("A session that isn't registered is over", .init(claimed: { answer, _ in answer.isOver = false })),
    ("The store's time advances", .init(claimed: { answer, _ in answer.now = StoreTime(microseconds: 0) })),
    ("A new job is due at once", .init(claimed: { answer, _ in answer.runs = [] })),
    ("A range goes from", .runs { $0.from = $0.until + .microseconds(1) }),
    ("A first claim is attempt 1", .runs { $0.attempt += 1 }),
    ("A repeated claim brings the same", .claims(where: \.isOld) { $0.runs = [] }),
    ("A row that is held isn't due", .init(claimed: { if $1.number == 2 { $0.runs = [.some] } })),
    ("A repeated claim that", .init(claimed: { if $1.number == 2, $1.isRepeated { $0.runs = [.some] } })),
    ("A late copy", .init(claimed: { if $1.number == 1, $0.isOld, $0.runs.isEmpty { $0.runs = [.some] } })),
    ("The next moment of a row that is held", .init(claimed: { answer, _ in answer.next = answer.now })),
    ("A renewal says what the session holds", .init(renewed: { $0.tokens = [] })),
    ("A session gives up rows of its own only", .init(renewed: { if $0.tokens == [] { $0.tokens = [1] } })),
    ("A run under way is shown", .init(job: { $0.run = nil })),
    ("Each end has its verdict, in order", .init(ended: { $0.verdicts.reverse() })),
    ("An end may be written", .init(ended: { if $0.verdicts == [.before] { $0.verdicts = [.refused] } })),
    ("An end is shown", .init(ends: { $0[$0.count - 1].missed = 0 })),
    ("The next date is that of the end", .init(job: { $0.nextTime = nil })),
    ("A row isn't claimed before it is due", .init(claimed: { if $1.number == 3 { $0.runs = [.some] } })),
    ("A claim says when the next row is due", .init(claimed: { if $1.number == 3 { $0.next = $0.now } })),
    ("Jobs that the replica doesn't want", .init(request: { $0.except = [] })),
    ("A claim brings no more rows than its limit", .init(request: { if $0.limit == 0 { $0.limit = 1 } })),
    ("A row that is due is claimed", .init(claimed: { if $1.number == 6 { $0.runs = [] } })),
    ("A range begins after", .init(ends: { $0[$0.count - 1].through = StoreTime(microseconds: 0) })),
    ("A failure is recorded", .init(history: { for index in $0.indices { $0[index].failure = nil } })),
    ("A row whose session is over is claimed", .attempt(2) { $0.runs = [] }),
    ("A later attempt has the range of the first", .attempt(2) { $0.runs[0].until = $0.now }),
    ("Tokens only grow", .attempt(2) { $0.runs[0].token = 1 }),
    ("A claim says whose run was abandoned", .attempt(2) { $0.runs[0].abandonedBy = nil }),
    ("A run that was taken over can't end", .verdict(of: 4, .written)),
    ("A session that is over isn't renewed", .init(renewed: { $0.isOver = false })),
    ("A session that is over claims nothing", .init(claimed: { if $1.number == 8 { $0.isOver = false } })),
    ("A session that is over registers nothing", .init(registered: { $0.isOver = false })),
    ("Abandoned runs are recorded", .init(history: { if $0.count == 2 { $0.removeLast() } })),
    ("Abandoned runs are counted", .init(job: { $0.abandonedCount = 0 })),
    ("A run without an action", .init(ends: { if $0[0].outcome == .settled { $0[0].outcome = .done } })),
    ("A repeated run", .init(ends: { if $0[0].outcome == .retried { $0[0].outcome = .done } })),
    (
      "An attempt that was released doesn't count",
      .init(ends: {
        if $0[0].outcome == .released, $0[0].token > 0 {
          $0[0].outcome = .retried; $0[0].next = $0[0].through
        }
      })
    ),
    ("A row that was given up isn't held", .init(givenUp: { $0 = [] })),
    ("A run that was given up is abandoned", .attempt(3) { $0.runs[0].abandonedBy = nil }),
    ("The rows of a closed session are claimed at once", .init(isClosed: false)),
    (
      "An end accounts for no more",
      .init(claimed: {
        if $1.number == 2, $0.runs.first?.attempt == 1 { $0.runs[0].from = $0.runs[0].from.next }
      })
    ),
    ("A known job is paused", .init(isKnown: { $0 = false })),
    ("An unknown job isn't paused", .init(isKnown: { $0 = true })),
    ("A job whose schedule others have is theirs", .claims(where: { !$0.others.isEmpty }) { $0.others = [] }),
    ("A changed schedule", .runs { if $0.schedule == "two" { $0.from = StoreTime(microseconds: 1) } }),
    ("A schedule that is back owes", .init(registration: { $0.resumes = [] })),
    ("Only a declared schedule", .init(registration: { $0.declares = Array($0.serves.keys) })),
    ("A schedule that no replica has", .claims(where: { !$0.unserved.isEmpty }) { $0.unserved = [] }),
    ("Runs are recorded", .init(history: { $0 = $0.count > 3 ? [] : $0 })),
    ("The newest runs come first", .init(history: { if $0.count > 3 { $0.reverse() } })),
    ("A removal of records has a limit", .init(removedCount: { $0 = 0 })),
    ("Records of ended runs are removed", .init(removedCount: { $0 = min($0, 1) })),
    ("Who paused a job is shown", .init(job: { $0.pausedBy = "" })),
    ("Jobs are found by a part", .job("Put") { $0.name = "" }),
    ("The case of other letters", .init(listed: { $0.matching.replace("é", with: "É") })),
    ("A job that a live replica's program serves isn't replaced", .put("Names") { $0.job += "2" }),
    ("A job that a live replica's program serves isn't removed", .init(removed: { $0.isServed = false })),
    ("A put or a removal that is refused", .job("Names") { if $0.handler.isEmpty { $0.handler = "h" } }),
    ("If a program has one of the jobs", .job("Many") { $0.payload = "" }),
    ("Of jobs that are put together", .put("Many") { if $0.payload == "new" { $0.schedule = "two" } }),
    ("A claim names the jobs of its program whose", .claims(where: { !$0.put.isEmpty }) { $0.put = [] }),
    ("A job that was put isn't taken", .job("Names") { if !$0.handler.isEmpty { $0.handler = "" } }),
    ("A job that has a row", .claims(where: { !$0.put.isEmpty }) { $0.missing = $0.put }),
    ("A job that was put is removed, although", .init(removed: { $0.isServed = true })),
    ("A claim names the jobs of its program without", .init(claimed: { answer, _ in answer.missing = [] })),
    ("A job that was put for now is due", .init(put: { $0.delay = $0.delay.map { $0 + 1_000_000 } })),
    ("A job for now has the moment", .run("Once") { $0.from = $0.until.next }),
    ("A job whose last date is done leaves", .lastEnds { if $0.outcome == .done { $0.outcome = .settled } }),
    ("The records of a job that has", .onlyRecord { if $0.job.hasPrefix("Once") { $0.scheduledTime = nil } }),
    ("A job whose date has passed", .init(put: { $0.date = $0.date.map { $0 + .seconds(7_200) } })),
    ("A date that has passed is run", .init(put: { $0.date = $0.date.map { $0 + .seconds(1) } })),
    ("A job whose last date has failed", .lastEnds { if $0.outcome == .failed { $0.outcome = .settled } }),
    ("A date without a record", .run("Passed", claim: 3) { $0.from = $0.from.next }),
    ("A date with a record", .run("Passed", claim: 4) { $0.from = $0.from.next }),
    ("A run now takes the place", .run("Ahead", claim: 2) { $0.payload = "" }),
    ("A job leaves the list with", .lastEnds { if $0.asked != nil { $0.outcome = .settled } }),
    ("A job for later is due", .init(put: { if $0.delay ?? 0 > 0 { $0.delay = 0 } })),
    ("A job for later has one date", .run("Later") { $0.schedule = "at 2001-01-01T00:00:00Z" }),
    (
      "A repeated claim brings the payload",
      .claims(where: { $0.isOld && $0.runs.first?.payload == "first" && $0.runs[0].job.hasPrefix("Range") }) {
        $0.runs[0].payload = "second"
      }
    ),
    ("A later attempt has the payload", .run("Range") { if $0.attempt == 2 { $0.payload = "second" } }),
    ("The range after it has the payload", .run("Range") { if $0.payload == "second" { $0.payload = "" } }),
    ("A run fails for good", .job("Range") { $0.failedCount = 0 }),
    ("The range of a job that was put", .run("Range") { if $0.payload == "third" { $0.attempt = 2 } }),
    ("A range isn't begun again", .run("Range") { if $0.schedule == "two" { $0.isLost = true } }),
    ("A job whose last date wasn't run", .lastEnds { if $0.outcome == .settled { $0.outcome = .done } }),
    ("Each put for now has a date", .run("Again") { $0.from = $0.from.next }),
    ("The attempts that are left", .run("Again") { $0.attempt = 2 }),
    ("A requested run is recorded", .onlyRecord { if $0.outcome == .done { $0.isAsked = false } }),
    ("A run of a requested range", .onlyRecord { if $0.isAsked { $0.scheduledTime = $0.beganTime } }),
    ("A run for one moment", .onlyRecord { if $0.outcome == .running { $0.scheduledTime = nil } }),
    (
      "Requested ranges come in the order",
      .claims(where: { $0.runs.first?.asked != nil }) { $0.runs[0].asked?.from = $0.now }
    ),
    ("A claim says that an attempt", .runs { if $0.asked != nil { $0.isLost = false } }),
    ("A renewal says which runs are cancelled", .init(renewed: { $0.cancelled = [] })),
    ("A run that was cancelled has failed", .job("Cancelled") { $0.failedCount = 0 }),
    ("A claim says that an attempt of its range was cancelled", .runs { $0.isCancelled = false }),
    ("A job without an attempt that waits", .init(retried: { $0.isRetried = true })),
    ("No attempt of an unknown job", .init(retried: { $0.found = true })),
    ("An attempt that waits is shown", .job("Waiting") { $0.retry?.failure = "" }),
    ("An attempt that waits is begun", .init(retried: { $0.isRetried = false })),
    ("An attempt that a request begins has", .run("Waiting") { if $0.attempt == 2 { $0.from = $0.until } }),
    (
      "After an attempt that is given up, its",
      .job("Waiting") { if $0.failedCount > 0 { $0.lastTime = nil } }
    ),
    (
      "The record says who",
      .init(history: { if $0.count == 1, $0[0].job.hasPrefix("Waiting") { $0[0].failure = "broken" } })
    ),
    (
      "An attempt that is given up ends",
      .init(claimed: { answer, claim in
        for index in answer.runs.indices where answer.runs[index].job.hasPrefix("Wai") && claim.number == 3 {
          answer.runs[index].from = answer.now
        }
      })
    ),
    ("What was asked for is shown", .job("Waiting") { $0.asked.reverse() }),
    (
      "A run whose request was withdrawn isn't",
      .init(ends: { for index in $0.indices where $0[index].outcome == .retried { $0[index].asked = nil } })
    ),
    ("A job that begins anew is run", .run("Last") { $0.asked?.from = $0.until.next }),
    ("A pause of a handler is shown", .init(pauses: { $0.pauses = [] })),
    ("A pause of a handler writes", .job("Paused early") { $0.isPaused = true }),
    ("A date of a job whose handler", .init(explained: { $0.row?.pausedBy = "" })),
    ("A pause that has ended", .init(paused: { if !$0.isPaused, $0.handler != nil { $0.handler = "x" } })),
    ("A pause of the cluster is", .init(paused: { if $0.job == nil, $0.handler == nil { $0.job = "x" } })),
    ("A date that was due before a handler's pause", .run("Paused early") { $0.until = $0.until.next }),
    ("The dates of a handler's", .run("Paused late") { $0.from = .zero }),
    ("The dates of a pause aren't run, also if", .run("Paused early") { $0.from = .zero }),
    ("The dates of a pause aren't run, also", .run("Paused abandoned") { $0.from = .zero }),
    ("A job that was put for one date keeps", .run("Paused once") { $0.from = $0.until.next }),
    ("The record of a run says which dates a pause", .onlyRecord { $0.skipped = [] }),
    (
      "A run that is postponed counts",
      .init(ends: { if $0[0].outcome == .postponed { $0[0].outcome = .retried } })
    ),
    (
      "A run that is postponed is recorded",
      .onlyRecord { if $0.outcome == .postponed { $0.outcome = .failed } }
    ),
    (
      "A run that was postponed has",
      .init(claimed: { if $1.number == 21, !$0.runs.isEmpty { $0.runs[0].until = $0.now.next } })
    ),
    ("A later attempt has the error", .run("Postponed") { $0.previousFailure = nil }),
    ("A retry keeps its moment", .job("Cancelled") { $0.nextTime = $0.nextTime?.previous }),
    ("A job that is put again has only", .job("Put") { if $0.run != nil { $0.doneCount += 1 } }),
    ("A job that was put and that", .init(request: { if $0.number == 1 { $0.except = [] } })),
    ("The jobs of a handler that", .init(request: { $0.exceptHandlers = [] })),
    ("A claim brings as many jobs", .init(request: { $0.rooms = [:] })),
    ("A page of jobs begins after", .init(listed: { $0.after = nil })),
    ("A claim brings abandoned jobs", .init(request: { if $0.rooms.values.first == 1 { $0.rooms = [:] } })),
    ("Each handler, and the program's", .init(request: { if $0.limit == 5 { $0.limit = 2 } })),
    ("A handler that no replica has is unhandled", .init(claimed: { answer, _ in answer.unhandled = [] })),
    ("A claim brings the handler", .runs { if $0.payload == "first" { $0.payload = "" } }),
    ("The answer lists the run that accounts", .init(explained: { $0.runs = [] })),
    ("A record has the range", .records { $0.from = $0.from?.next }),
    ("A record has the dates that weren't run", .records { $0.skipped = [] }),
    ("A job's row says which dates are accounted for", .init(explained: { $0.row?.isServed = false })),
    ("A job's row says for which reasons", .init(explained: { $0.row?.skipped.reverse() })),
    ("A record has the reasons", .records { if $0.skipped.count == 2 { $0.skipped.removeFirst() } }),
    ("The moments", .records { if $0.skipped.count == 2 { $0.skipped[0].first = $0.skipped[0].first.next } }),
    ("The dates that a repeated run leaves out", .job("Dates") { $0.missedCount += 1 }),
    ("The answer lists all attempts", .init(explained: { if $0.runs.count == 3 { $0.runs.removeLast() } })),
    ("Until its end", .init(explained: { if $0.runs.count == 3 { $0.row?.until = nil } })),
    (
      "The answer lists an attempt",
      .init(explained: { if $0.runs.count == 3 { $0.runs[1].isHidden = true } })
    ),
    (
      "A run that was released accounts for nothing",
      .init(explained: { for index in $0.runs.indices { $0.runs[index].isHidden = false } })
    ),
    (
      "A record has the date whose attempts are used up",
      .records { if $0.skipped.first?.reason == .attemptsUsedUp { $0.skipped = [] } }
    ),
    ("An end says that its job was put", .init(ended: { $0.next = nil })),
    ("A job with a run isn't due", .init(ended: { $0.next = $0.next ?? $0.now })),
    ("The answer lists requested ranges", .init(explained: { $0.row?.asked = [] })),
    (
      "`isServed` is false",
      .init(explained: { if $0.row?.asked.isEmpty == false { $0.row?.isServed = true } })
    ),
    ("The answer lists the runs of a removed", .init(explained: { if $0.row == nil { $0.runs = [] } })),
    ("A list has the jobs in a state", .init(listed: { if $0.state != nil { $0.state = .due } })),
    ("A list has the jobs of one handler", .init(listed: { if $0.state == nil { $0.handler = nil } })),
    ("A retry leaves a job", .init(retry: { $0.state = nil })),
    ("A retry begins the attempt", .init(retry: { if $0.state == .retrying { $0.state = .failed } })),
    ("A removal leaves a job", .init(removal: { $0.state = nil })),
    ("A removal takes a job", .init(removal: { if $0.state == .failed { $0.state = .due } })),
    ("A backlog counts the jobs in a state", .init(backlogs: { $0.backlogs = [] })),
    (
      "A backlog says that its handler",
      .init(backlogs: { for index in $0.backlogs.indices { $0.backlogs[index].isPaused = false } })
    ),
  ]

  @Test(arguments: violations.indices)
  func `A store that breaks a rule is told which`(index: Int) async {
    let (rule, alterations) = Self.violations[index]
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let store = AlteredStore(store: MemoryTimerStore { clock.date }, alterations: alterations)
    let violation = await #expect(throws: TimerStoreContract.Violation.self) {
      try await TimerStoreContract(store) { await clock.advance(by: $0) }.check()
    }
    #expect(violation?.description.hasPrefix(rule) == true)
  }
}

extension ClaimedRun {
  /// A row that isn't there.
  fileprivate static let some = ClaimedRun(
    job: "some", from: StoreTime(microseconds: 1), until: StoreTime(microseconds: 2), attempt: 1, token: 1,
    schedule: "one")
}

extension AlteredStore.Alterations {
  /// Changes the answers that are as a condition says.
  fileprivate static func claims(
    where isChanged: @escaping @Sendable (ClaimAnswer) -> Bool,
    _ change: @escaping @Sendable (inout ClaimAnswer) -> Void
  ) -> Self {
    Self(claimed: { answer, _ in if isChanged(answer) { change(&answer) } })
  }

  fileprivate static func runs(_ change: @escaping @Sendable (inout ClaimedRun) -> Void) -> Self {
    Self(claimed: { answer, _ in for index in answer.runs.indices { change(&answer.runs[index]) } })
  }

  /// Changes the runs of jobs whose names have a prefix.
  fileprivate static func run(
    _ prefix: String, claim number: Int64? = nil, _ change: @escaping @Sendable (inout ClaimedRun) -> Void
  ) -> Self {
    Self(claimed: { answer, claim in
      for index in answer.runs.indices
      where answer.runs[index].job.hasPrefix(prefix) && claim.number == number ?? claim.number {
        change(&answer.runs[index])
      }
    })
  }

  /// Changes the jobs that are put under a name with a prefix.
  fileprivate static func put(
    _ prefix: String, _ change: @escaping @Sendable (inout PutRequest.Job) -> Void
  ) -> Self {
    Self(put: { if $0.job.hasPrefix(prefix) { change(&$0) } })
  }

  /// Changes the ends after which a job has no date any more.
  fileprivate static func lastEnds(_ change: @escaping @Sendable (inout RunEnd) -> Void) -> Self {
    Self(ends: { ends in
      for index in ends.indices where ends[index].next == nil && ends[index].outcome != .released {
        change(&ends[index])
      }
    })
  }

  /// Changes the jobs whose names have a prefix.
  fileprivate static func job(
    _ prefix: String, _ change: @escaping @Sendable (inout ClusterJob) -> Void
  ) -> Self {
    Self(job: { if $0.name.hasPrefix(prefix) { change(&$0) } })
  }

  /// Changes the record of a history that has one.
  fileprivate static func onlyRecord(_ change: @escaping @Sendable (inout ClusterRunRecord) -> Void) -> Self {
    Self(history: { if $0.count == 1 { change(&$0[0]) } })
  }

  /// Changes the records that the store tells of a date.
  fileprivate static func records(_ change: @escaping @Sendable (inout ClusterRunRecord) -> Void) -> Self {
    Self(explained: { answer in for index in answer.runs.indices { change(&answer.runs[index].record) } })
  }

  fileprivate static func attempt(
    _ attempt: Int, _ change: @escaping @Sendable (inout ClaimAnswer) -> Void
  ) -> Self {
    claims(where: { $0.runs.first?.attempt == attempt }, change)
  }

  /// Changes the verdict of a request to end runs, by its number.
  fileprivate static func verdict(of number: Int, _ verdict: EndAnswer.Verdict) -> Self {
    let count = Mutex(0)
    return Self(ended: { answer in
      let isChanged = count.withLock { count in
        count += 1
        return count == number
      }
      if isChanged { answer.verdicts = [verdict] }
    })
  }
}
