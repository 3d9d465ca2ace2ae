import Hummingbird
package import TimerScheduling

/// The identifier of a timer among those of all schedulers on a page, such as `jobs/17`.
package struct TimerKey: Sendable, Hashable, LosslessStringConvertible {
  package let scheduler: String
  package let id: ScheduledTimer.ID

  init(_ scheduler: String, _ id: ScheduledTimer.ID) {
    self.scheduler = scheduler
    self.id = id
  }

  package init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = ScheduledTimer.ID(String(parts[1])) else { return nil }
    self.init(String(parts[0]), id)
  }

  /// The key in a request's path.
  init(_ context: some RequestContext) throws(Refusal) {
    guard let scheduler = context.parameters.get("scheduler"),
      let id = context.parameters.get("id").flatMap({ ScheduledTimer.ID($0) })
    else { throw Refusal(.badRequest, "A timer's identifier is a number.") }
    self.init(scheduler, id)
  }

  package var description: String { "\(scheduler)/\(id)" }
}
