/// The treatment of a date that is given up for good.
///
/// Its action has failed and isn't tried again, its attempts are used up, it is too old, or an operator has
/// cancelled it.
public enum GivenUpRunBehavior: Sendable, Hashable {
  /// The job stays in its list as one that has failed, if that was its last date.
  case leave
  /// A job of that handler is put as well, in the same write, with a ``GivenUpJob`` as its payload.
  case put(_ handler: String)

  var handler: String? { if case .put(let handler) = self { handler } else { nil } }
}

/// The payload of a job that is put as another one's date is given up for good.
///
/// ```swift
/// cluster.handle("mail", ifGivenUp: .put("mail.dead")) { run in logger.info("a mail to \(run.payload)") }
/// cluster.handle("mail.dead", as: GivenUpJob.self) { job, run in
///   logger.info("\(job.name) to \(job.payload): \(job.failure)")
/// }
/// ```
public struct GivenUpJob: Sendable, Hashable, Codable {
  /// The name of the job whose date was given up.
  public var name: String
  /// The payload of that date.
  public var payload: String
  /// The reason: the error of the last attempt, if one is known.
  public var failure: String

  /// Creates the payload of a job that has been given up, for tests of its handler.
  public init(name: String, payload: String, failure: String) {
    (self.name, self.payload, self.failure) = (name, payload, failure)
  }
}
