import HTTPTypes
import Hummingbird
import Logging

extension OperatorPage {
  /// Adds the routes for actions on many timers, and for the audit trail.
  func addBulkRoutes(to router: some RouterMethods<some RequestContext>) {
    router.post("timers/selected/:action") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await actOnSelected(
          by: context.parameters.get("action"), for: request, of: visitor, logger: context.logger)
      }
    }
    router.post("timers/selected/work/:work/:change") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        _ = try await checkedForm(of: request, by: visitor)
        return try await change(
          context.parameters.get("work"), of: desk, by: context.parameters.get("change"), for: request,
          of: visitor, back: backToPage(from: request, up: 4)
        ) { action, keys in
          order(action, isUndo: true, on: keys, of: visitor, logger: context.logger)
        }
      }
    }
    router.get("timers/trail") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try trailPage(for: request, of: visitor)
      }
    }
  }

  /// Shows what operators have done, to operators only, since it has clients' addresses.
  private func trailPage(for request: Request, of visitor: Visitor) throws(Refusal) -> Response {
    try access.checkLooking(visitor)
    guard isOperator(visitor) else { throw Refusal(.unauthorized, "Log in to see the audit trail.") }
    let view = TrailView(
      entries: trail.entries, failedLogins: trail.failedLogins,
      links: links(.trail, for: request, of: visitor))
    return .page(view.html.text, type: "text/html; charset=utf-8")
  }

  /// Does the same to all timers that a form names, or to all that meet the query in the address.
  ///
  /// For the latter the form says how many the operator expects. If it is another number, nothing is done. A
  /// timer that can't be changed, as it has finished meanwhile, is left out.
  func actOnSelected(
    by action: String?, for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    // Five thousand timers may be selected.
    let form = try await checkedForm(of: request, by: visitor, upTo: 131_072)
    guard let action = action.flatMap({ TimerAction(rawValue: $0) }), TimerAction.ofMany.contains(action)
    else {
      throw Refusal(.notFound, "There is no such action for several timers.")
    }
    let keys: [TimerKey]
    let query = form.all == nil ? nil : TimerQuery(request)
    if let query {
      guard let expected = form.expected.flatMap({ Int($0) }) else {
        throw Refusal(
          .badRequest, "An action on all timers that match has to say in \"expected\" how many these are.")
      }
      keys = await feed.matches(query)
      guard keys.count == expected else {
        return refuse(
          action, on: "timers\(query.text)", expected, keys.count, for: request, of: visitor, logger: logger)
      }
    } else {
      let named = Set((form.timer ?? []).compactMap { TimerKey($0) })
      // An identifier of a look is found at once, unlike one that was read from a text.
      keys = named.isEmpty ? [] : await feed.matches(TimerQuery()).filter(named.contains)
    }
    let work = await desk.begin(action, on: keys) { action, keys in
      order(action, on: keys, matching: query.map { "timers\($0.text)" }, of: visitor, logger: logger)
    }
    guard let work else { throw Refusal(.serviceUnavailable, "Too much is being done already.") }
    return await answer(work, for: request, back: backToPage(from: request, up: 2))
  }

  /// A desk whose work is done to the timers of a feed.
  static func desk(of feed: TimerFeed, trail: AuditTrail) -> BulkDesk<TimerAction> {
    BulkDesk(pacer: feed.pacer) { work, order, sliceEnded in
      let run = BulkRun(work: work, operatorName: order?.operatorName, feed: feed, trail: trail)
      await run.perform(sliceEnded: sliceEnded)
      await feed.refresh()
    }
  }
}
