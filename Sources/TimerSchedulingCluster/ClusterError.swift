public import TimerSchedulingFoundation

/// An error of a cluster or of one of its replicas.
@nonexhaustive(warn)
public enum ClusterError: Error, Sendable, CustomStringConvertible {
  /// The schedule's dates aren't the same on all replicas.
  case scheduleNotAgreed(schedule: String, reason: String)
  /// The schedule of a job that was to be put has no date any more.
  case scheduleOver(job: String, schedule: String)
  /// The time until a job is to be run is negative, or more than a century.
  case delayInvalid(job: String, delay: Duration)
  /// This program can't read the schedule of a job that was put, and leaves the job to other replicas.
  case scheduleUnreadable(job: String, schedule: String, reason: String)
  /// The name of a job or a handler is empty, too long, or has control characters.
  case nameInvalid(name: String)
  /// The payload of a job has more than 65,536 bytes, or a NUL.
  case payloadInvalid(job: String, bytes: Int)
  /// The database has no schema of that name, or not this package's.
  case schemaMissing(schema: String)
  /// The schema of the database is of an older version, from which no change leads to this program's.
  case schemaOlder(schema: String, found: Int, supported: Int)
  /// The schema of the database is too new for this program.
  case schemaNewer(schema: String, found: Int, supported: Int)
  /// Another transaction has locked the job's row for about a lease. The replica goes on asking.
  case jobLocked(job: String)
  /// The store has no job with that name.
  case jobUnknown(job: String)
  /// No run of the job is under way.
  case runMissing(job: String)
  /// The job has no attempt that waits, and its last date hasn't failed for good.
  case retryMissing(job: String)
  /// Another replica has taken the run over.
  case runTakenOver(job: String, token: Int64)
  /// A transaction committed earlier has already ended the run.
  case runEnded(job: String, token: Int64)
  /// The store hasn't answered for two thirds of the lease, so the run was cancelled.
  case leaseNotRenewed(job: String, token: Int64)
  /// A replica has abandoned a run, as it has died or was cut off, or has cancelled a run that is begun only
  /// once. This replica's run with that token has its row now.
  case runAbandoned(job: String, token: Int64, replica: String)
  /// The job has another schedule at the store, which another program has registered. This replica doesn't
  /// run it.
  case scheduleChanged(job: String)
  /// A job that was put has the name of this program's job, which isn't run.
  case nameTaken(job: String)
  /// A live replica's program has the job, so it isn't replaced or removed. A dead one is live for its lease.
  case servedByProgram(job: String)
  /// The run goes on a lease after its time limit, as its action doesn't heed that it was cancelled. It is
  /// told once.
  case runOverdue(job: String, handler: String, token: Int64, timeout: Duration)
  /// An operator has cancelled the run.
  case runCancelled(job: String, token: Int64, by: String)
  /// Jobs of that handler are due, and no replica has the handler.
  case handlerMissing(handler: String)
  /// A run's action has thrown an error, or its end couldn't be written. `next` is the date of the next
  /// attempt. It is nil if no attempt is planned, or if another replica may plan one. The handler of a job of
  /// the program is empty.
  case runFailed(job: String, handler: String, attempt: Int, next: Date?, underlying: any Error)
  /// A date isn't begun any more, as its attempts are used up or it is too old.
  case dateGivenUp(job: String, handler: String, date: Date, reason: SkippedDates.Reason)
  /// With the result of a step, those of the date have more than 65,536 bytes. The result isn't kept.
  case stepTooLarge(job: String, step: String)
  /// The replica has had a thousand runs for as long as a lease. Until one ends, it claims no jobs that were
  /// put.
  case replicaFull(replica: String)
  /// The store's clock was set. A negative step is one back.
  case storeClockSet(by: Duration)
  /// The store can't be reached, or has refused a request. The replica tries again.
  case storeFailed(replica: String, underlying: any Error)

  /// A sentence that says what is wrong and what to do.
  public var description: String {
    switch self {
    case .scheduleNotAgreed(let schedule, let reason):
      "Replicas can't agree on the dates of \"\(schedule)\": \(sentence(reason)) Use .rule, .at, or .every "
        + "with starting: .aligned or .at."
    case .scheduleOver(let job, let schedule):
      "The schedule \"\(schedule)\" of \"\(job)\" has no date from now on. Put the job with a later date."
    case .delayInvalid(let job, let delay):
      "The time until a job is run is zero to a century, but \(delay) was given for \"\(job)\"."
    case .scheduleUnreadable(let job, let schedule, let reason):
      "This program can't run the schedule \"\(schedule)\" of \"\(job)\": \(sentence(reason)) Update the "
        + "program, or put the job again."
    case .nameInvalid(let name):
      "The name of a job or a handler has 1 to 1,000 bytes of UTF-8 and no control characters, but "
        + "\(String(reflecting: String(name.prefix(100)))) with \(name.utf8.count) bytes was given."
    case .payloadInvalid(let job, let bytes):
      "The payload of a job has up to 65,536 bytes of UTF-8 and no NUL, but that of \"\(job)\" with \(bytes) "
        + "bytes was given. Put large data into a table of the program's, and their key into the payload."
    case .schemaMissing(let schema):
      "The database has no TimerScheduling schema \"\(schema)\". Call migrate() on a PostgresTimerStore "
        + "whose client may create schemas."
    case .schemaOlder(let schema, let found, let supported):
      "The schema \"\(schema)\" has version \(found), and this program needs version \(supported), which isn't "
        + "made from it. Give the store another schema, or end the programs that use this one and drop it, "
        + "and call migrate(). Jobs that were put have to be put again."
    case .schemaNewer(let schema, let found, let supported):
      "The schema \"\(schema)\" requires version \(found), and this program has version \(supported). Update "
        + "the program."
    case .jobLocked(let name):
      "Another transaction has locked the row of the job \"\(name)\" for about a lease. The job will be "
        + "asked for again. Look for a transaction that stays open."
    case .jobUnknown(let name): "The store has no job \"\(name)\". No replica has scheduled it yet."
    case .runMissing(let job): "No run of \"\(job)\" is under way, and no attempt of it waits."
    case .retryMissing(let job):
      "No attempt of \"\(job)\" waits, and it isn't a put job whose last date has failed. Call run(_:for:) "
        + "to run it for a date once more."
    case .runTakenOver(let job, let token):
      "Run \(token) of \"\(job)\" was taken over by another replica, so nothing of it may be written. Roll back."
    case .runEnded(let job, let token):
      "Run \(token) of \"\(job)\" has ended by a transaction that was committed before, so this one would "
        + "write twice. Roll back."
    case .leaseNotRenewed(let job, let token):
      "Run \(token) of \"\(job)\" was cancelled: the store hasn't answered for two thirds of the lease."
    case .runAbandoned(let job, let token, let replica):
      "Replica \"\(replica)\" has abandoned a run of \"\(job)\", as it has died, was cut off or has cancelled "
        + "it. Run \(token) has its row now."
    case .scheduleChanged(let job):
      "\"\(job)\" has another schedule at the store, which another program has registered. This replica "
        + "doesn't run it. If that isn't intended, give one of the jobs another name or schema."
    case .nameTaken(let job):
      "A job with the name \"\(job)\" was put, so this program's job of that name isn't run. Remove the job "
        + "that was put, or give one of them another name."
    case .servedByProgram(let job):
      "A program that is running schedules the job \"\(job)\", so it can't be put or removed. Use another "
        + "name, or end the job in the program first."
    case .runOverdue(let job, let handler, let token, let timeout):
      "Run \(token) of \(Self.name(job, handler)) goes on a lease after its time limit of \(timeout). Have its "
        + "action end when its task is cancelled."
    case .runCancelled(let job, let token, let name):
      "Run \(token) of \"\(job)\" was cancelled by \(sentence(name))"
    case .handlerMissing(let handler):
      "Jobs with the handler \"\(handler)\" are due, and no replica has it. They wait. Start a program that "
        + "handles it, or remove them."
    case .runFailed(let job, let handler, let attempt, let next, let error):
      "Attempt \(attempt) of \(Self.name(job, handler)) has failed\(next.map { ", and the next begins at \($0)" } ?? ""): \(error)"
    case .dateGivenUp(let job, let handler, let date, let reason):
      "\(Self.name(job, handler)) isn't begun any more for \(date): "
        + (reason == .tooOld ? "the date is too old." : "its attempts are used up.")
    case .stepTooLarge(let job, let step):
      "With the result of the step \"\(step)\", those of the date of \"\(job)\" have more than 65,536 bytes, so it "
        + "isn't kept. Put large data into a table of the program's, and have the step return their key."
    case .replicaFull(let replica):
      "Replica \"\(replica)\" has had 1,000 runs under way for a lease, and claims no jobs that were put "
        + "until one ends. Look for runs that hang, or start more replicas."
    case .storeClockSet(let step):
      "The store's clock was set \(step < .zero ? "back by \(.zero - step)" : "ahead by \(step)")."
    case .storeFailed(let replica, let error):
      "Replica \"\(replica)\" can't ask the store, and will ask again: \(error)"
    }
  }

  private static func name(_ job: String, _ handler: String) -> String {
    "\"\(job)\"\(handler.isEmpty ? "" : " of the handler \"\(handler)\"")"
  }

  /// The reason for which replicas can't agree on a schedule. Empty for another error.
  var reason: String { if case .scheduleNotAgreed(_, let reason) = self { reason } else { "" } }

  private func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
}
