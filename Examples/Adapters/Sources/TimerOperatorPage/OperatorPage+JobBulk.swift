import HTTPTypes
import Hummingbird
import Logging
import TimerScheduling
import TimerSchedulingCluster

/// Actions on many jobs of the cluster.
extension OperatorPage {
  func addJobBulkRoutes(to router: some RouterMethods<some RequestContext>) {
    router.post("timers/many") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await actOnJobs(for: request, of: visitor, logger: context.logger)
      }
    }
    router.post("timers/work") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        _ = try await checkedForm(of: request, by: visitor)
        guard let jobDesk else { throw Self.noCluster }
        return try await change(
          TimerQuery.value("work", of: request), of: jobDesk, by: TimerQuery.value("change", of: request),
          for: request, of: visitor, back: backToJobs(from: request)
        ) { action, keys in
          order(action, isUndo: true, on: keys, of: visitor, logger: context.logger)
        }
      }
    }
  }

  /// Does the same to all jobs that a form names, or to all that meet the query in the address.
  ///
  /// For the latter the form says how many the operator expects. If it is another number, nothing is done; a
  /// form without a number is answered with one. A job that doesn't match any more when its turn comes is
  /// left out, as is one to which there is nothing to do.
  private func actOnJobs(
    for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    let form = try await checkedForm(of: request, by: visitor, upTo: 1_048_576)
    guard let jobDesk else { throw Self.noCluster }
    guard let action = form.action.flatMap({ JobAction(rawValue: $0) }), JobAction.ofMany.contains(action)
    else { throw Refusal(.notFound, "There is no such action for several jobs.") }
    let query = form.all == nil ? nil : JobQuery(request).with { $0.order = nil }
    var names: [String] = []
    if let query {
      names = try await ask(within: 10) { cluster in try await cluster.names(query) }
      let expected = form.expected.flatMap { Int($0) }
      guard names.count == expected else {
        if expected == nil, !request.acceptsJSON {
          let view = ConfirmView(
            action: action, count: names.count, query: JobQuery(request),
            links: links(.jobs, for: request, of: visitor))
          return .page(view.html.text, type: "text/html; charset=utf-8")
        }
        return refuse(
          action, on: "jobs\(query.text)", expected, names.count, for: request, of: visitor, logger: logger)
      }
    } else {
      names = Array(Set(form.name ?? [])).sorted()
    }
    let work = await jobDesk.begin(action, on: names) { action, keys in
      order(
        action, on: keys, matching: query.map { "jobs\($0.text)" }, query: query, of: visitor, logger: logger)
    }
    guard let work else { throw Refusal(.serviceUnavailable, "Too much is being done already.") }
    return await answer(work, for: request, back: backToJobs(from: request))
  }

  /// A desk whose work is done to a cluster's jobs.
  static func jobDesk(
    of feed: ClusterFeed, pacer: TimerScheduler, elapsed: @escaping @Sendable () -> Duration
  )
    -> BulkDesk<JobAction>
  {
    BulkDesk(pacer: pacer) { work, order, sliceEnded in
      var run = JobRun(
        work: work, order: order, cluster: feed.cluster, elapsed: elapsed, sliceEnded: sliceEnded)
      await run.perform()
      await feed.forget()
    }
  }
}
