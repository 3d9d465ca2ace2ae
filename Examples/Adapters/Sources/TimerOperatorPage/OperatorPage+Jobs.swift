import HTTPTypes
import Hummingbird
import Logging
import TimerLogging
import TimerScheduling
import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The view of the cluster's jobs.
extension OperatorPage {
  /// Adds the view, the actions on jobs, and the explanation of a date.
  func addJobRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("timers/jobs") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        guard let cluster else { throw Refusal(.notFound, "The page shows no cluster.") }
        let query = JobQuery(request)
        let view = ClusterView(
          look: await ClusterLook(at: cluster, query, now: now()), query: query,
          links: links(.jobs, for: request, of: visitor))
        return .page(view.html.text, type: "text/html; charset=utf-8")
      }
    }
    router.post("timers/job") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await actOnJob(for: request, of: visitor, logger: context.logger)
      }
    }
    router.post("timers/pauses") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await pause(for: request, of: visitor, logger: context.logger)
      }
    }
    router.get("timers/date") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let view = DateView(
          explanation: try await explanation(for: request), links: links(.jobs, for: request, of: visitor))
        return .page(view.html.text, type: "text/html; charset=utf-8")
      }
    }
  }

  /// Does to a job what a form has asked for, for all replicas.
  private func actOnJob(
    for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    let form = try await checkedForm(of: request, by: visitor)
    guard let action = form.action.flatMap({ JobAction(rawValue: $0) }), let job = form.job else {
      throw Refusal(.notFound, "There is no such action for a job.")
    }
    let dates = action == .backfill ? try dates(of: form) : nil
    let (person, reason) = (visitor.operatorName ?? "", form.reason ?? "")
    try await perform(action.rawValue, on: job, by: visitor, to: logger) { cluster in
      try await action.perform(on: job, of: cluster, by: person, reason: reason, dates: dates)
    }
    return backToJobs(from: request)
  }

  /// Pauses a handler or the cluster as a form has asked for, or ends the pause.
  private func pause(
    for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    let form = try await checkedForm(of: request, by: visitor)
    guard let action = form.action.flatMap({ PauseAction(rawValue: $0) }) else {
      throw Refusal(.notFound, "There is no such action for a pause.")
    }
    let (handler, reason) = (action.needsHandler ? form.handler ?? "" : "", form.reason ?? "")
    let person = visitor.operatorName ?? ""
    let target = action.needsHandler ? handler : "the cluster"
    try await perform(action.rawValue, on: target, by: visitor, to: logger) { cluster in
      try await action.perform(on: handler, of: cluster, by: person, reason: reason)
    }
    return backToJobs(from: request)
  }

  /// Leads a browser to the view with the same query.
  private func backToJobs(from request: Request) -> Response {
    var headers = HTTPFields.page()
    headers[.location] = "jobs" + JobQuery(request).text
    return Response(status: .seeOther, headers: headers)
  }

  /// Does something to the cluster, and notes in the log and the trail who has done what, and how it has
  /// ended.
  private func perform(
    _ action: String, on target: String, by visitor: Visitor, to logger: Logger,
    _ change: @escaping @Sendable (TimerCluster) async throws -> Void
  ) async throws(Refusal) {
    var failure: Refusal?
    do throws(Refusal) { try await ask(change) } catch { failure = error }
    let outcome = failure?.message ?? "done"
    audit.note(action, on: "\(LoggedText(target))", by: visitor, outcome: outcome, to: logger)
    let name = DisplayName.text(for: target)
    trail.add(visitor.entry(action, on: name, count: failure == nil ? 1 : 0, outcome: outcome))
    if let failure { throw failure }
  }

  /// Has the cluster's store asked, for two seconds at most.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (TimerCluster) async throws -> Answer
  ) async throws(Refusal) -> Answer {
    guard let cluster else { throw Refusal(.notFound, "The page shows no cluster.") }
    do {
      return try await withTimeout(2) { try await question(cluster) }
    } catch ClusterError.jobUnknown {
      throw Refusal(.notFound, "There is no such job.")
    } catch ClusterError.runMissing {
      throw Refusal(.conflict, "No run of the job is under way, and no attempt of it waits.")
    } catch ClusterError.retryMissing {
      throw Refusal(.conflict, "No attempt of the job waits, and its last date hasn't failed for good.")
    } catch ClusterError.nameInvalid {
      throw Refusal(.badRequest, "A handler's name has 1 to 1,000 bytes and no control characters.")
    } catch {
      let reason = DisplayName.text(for: "\(error)", upTo: PastRun.maximumErrorLength)
      throw Refusal(.serviceUnavailable, "The cluster's store can't be asked: \(reason)")
    }
  }

  private func explanation(for request: Request) async throws(Refusal) -> DateExplanation {
    let (job, text) = (
      TimerQuery.value("job", of: request) ?? "", TimerQuery.value("date", of: request) ?? ""
    )
    let date = try date(text)
    return try await ask { cluster in try await cluster.explain(job, at: date) }
  }

  private func dates(of form: ActionForm) throws(Refusal) -> ClosedRange<Date> {
    let (first, last) = (try date(form.from ?? ""), try date(form.to ?? ""))
    guard first <= last else { throw Refusal(.badRequest, "The first date comes after the last one.") }
    return first...last
  }

  private func date(_ text: String) throws(Refusal) -> Date {
    guard let date = try? Date(text, strategy: .iso8601) else {
      throw Refusal(.badRequest, "A date is written as 2026-01-31T09:30:00Z.")
    }
    return date
  }
}
