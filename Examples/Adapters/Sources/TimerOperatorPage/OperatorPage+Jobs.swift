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
        guard let clusterFeed else { throw Self.noCluster }
        let query = JobQuery(request)
        let view = ClusterView(
          answer: await clusterFeed.look(for: query), query: query,
          links: links(.jobs, for: request, of: visitor), now: feed.elapsed(),
          works: isOperator(visitor) ? await jobDesk?.current : nil)
        return .page(view.html.text, type: "text/html; charset=utf-8")
      }
    }
    router.get("timers/job") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let (name, date) = (TimerQuery.value("name", of: request) ?? "", now())
        let look = try await ask { cluster in try await JobLook(of: cluster, name, now: date) }
        if look.job == nil, look.runs.isEmpty { throw Refusal(.notFound, "There is no such job.") }
        let view = JobView(
          look: look, query: JobQuery(request), links: links(.jobs, for: request, of: visitor))
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
    router.get("timers/jobs.js") { request, context in
      try await answer(request, context) { _ throws(Refusal) in
        .page(PackageResources.jobs_js, type: "text/javascript; charset=utf-8")
      }
    }
    addJobBulkRoutes(to: router)
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
    let dates = try dates(of: form, for: action)
    let (person, reason) = (visitor.operatorName ?? "", form.reason ?? "")
    try await perform(action.rawValue, on: job, by: visitor, to: logger) { cluster in
      try await action.perform(on: job, of: cluster, by: person, reason: reason, dates: dates)
    }
    guard !request.acceptsJSON else { return Response(status: .noContent, headers: .page()) }
    // A job that was removed has no page.
    return action == .remove ? back(to: "jobs" + JobQuery(request).text) : backToJobs(from: request)
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
    guard !request.acceptsJSON else { return Response(status: .noContent, headers: .page()) }
    return backToJobs(from: request)
  }

  /// Leads a browser to the page of the job in the address, or else to the view with the same query.
  func backToJobs(from request: Request) -> Response {
    let query = JobQuery(request)
    return back(to: TimerQuery.value("name", of: request).map(query.address) ?? "jobs" + query.text)
  }

  private func back(to address: String) -> Response {
    var headers = HTTPFields.page()
    headers[.location] = address
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
    await clusterFeed?.forget()
    if let failure { throw failure }
  }

  static var noCluster: Refusal { Refusal(.notFound, "The page shows no cluster.") }

  /// Has the cluster's store asked, for some seconds at most.
  func ask<Answer: Sendable>(
    within limit: Double = ClusterLook.limit,
    _ question: @escaping @Sendable (TimerCluster) async throws -> Answer
  ) async throws(Refusal) -> Answer {
    guard let cluster = clusterFeed?.cluster else { throw Self.noCluster }
    do {
      return try await withTimeout(limit) { try await question(cluster) }
    } catch ClusterError.jobUnknown {
      throw Refusal(.notFound, "There is no such job.")
    } catch ClusterError.runMissing {
      throw Refusal(.conflict, "No run of the job is under way, and no attempt of it waits.")
    } catch ClusterError.retryMissing {
      throw Refusal(.conflict, "No attempt of the job waits, and its last date hasn't failed for good.")
    } catch ClusterError.servedByProgram {
      throw Refusal(.conflict, "The job belongs to a program that runs.")
    } catch ClusterError.nameInvalid {
      throw Refusal(.badRequest, "A handler's name has 1 to 1,000 bytes and no control characters.")
    } catch {
      let reason = DisplayName.text(for: "\(error)", upTo: PastRun.maximumErrorLength)
      throw Refusal(.serviceUnavailable, "The cluster's store can't be asked: \(reason)")
    }
  }

  private func explanation(for request: Request) async throws(Refusal) -> DateExplanation {
    let job = TimerQuery.value("job", of: request) ?? ""
    let date = try date(TimerQuery.value("at", of: request) ?? TimerQuery.value("date", of: request) ?? "")
    return try await ask { cluster in try await cluster.explain(job, at: date) }
  }

  /// The dates that a form names: those of a backfill, or that of a run. Nil for none.
  private func dates(of form: ActionForm, for action: JobAction) throws(Refusal) -> ClosedRange<Date>? {
    if action == .run, let at = form.at {
      let date = try date(at)
      return date...date
    }
    guard action == .backfill else { return nil }
    let (first, last) = (try date(form.from ?? ""), try date(form.to ?? ""))
    guard first <= last else { throw Refusal(.badRequest, "The first date comes after the last one.") }
    return first...last
  }

  /// Reads a date: microseconds since 1970, or as in ISO 8601.
  private func date(_ text: String) throws(Refusal) -> Date {
    if let date = Microseconds(text) { return date.date }
    guard let date = try? Date(text, strategy: .iso8601) else {
      throw Refusal(.badRequest, "A date is written as 2026-01-31T09:30:00Z.")
    }
    return date
  }
}
