/// A decision about a run's date, which the run's action throws.
///
/// ```swift
/// cluster.handle("mail") { run in
///   guard run.payload.contains("@") else { throw RunDecision.giveUp("\(run.payload) isn't an address") }
///   do {
///     try await mail(run.payload)
///   } catch is MailServerIsBusy {
///     throw RunDecision.again(after: .seconds(600))
///   }
/// }
/// ```
public enum RunDecision: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run has failed for a reason, and its date isn't run again, however many attempts are left.
  case giveUp(_ reason: String)
  /// The date is run again after a wait by the store's clock, on any replica, and this run doesn't count as
  /// an attempt. It isn't a failure: the observer isn't told. A negative wait counts as zero, and more than a
  /// century as a century. From its second postponement on, a date waits at least a second.
  /// ``ClusterRun/postponedCount`` says how often it has.
  case again(after: Duration)

  /// The reason, or a sentence with the wait.
  public var description: String {
    switch self {
    case .giveUp(let reason): reason
    case .again(let wait): "The action is to be run again after \(wait)."
    }
  }
}
