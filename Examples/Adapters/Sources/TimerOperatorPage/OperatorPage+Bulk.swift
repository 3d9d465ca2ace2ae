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
        try await change(
          work: context.parameters.get("work"), by: context.parameters.get("change"), for: request,
          of: visitor, logger: context.logger)
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
        return refuse(action, query, expected, keys.count, for: request, of: visitor, logger: logger)
      }
    } else {
      let named = Set((form.timer ?? []).compactMap { TimerKey($0) })
      // An identifier of a look is found at once, unlike one that was read from a text.
      keys = named.isEmpty ? [] : await feed.matches(TimerQuery()).filter(named.contains)
    }
    let work = await desk.begin(action, on: keys) { action, keys in
      order(action.rawValue, on: keys, matching: query, of: visitor, logger: logger)
    }
    guard let work else { throw Refusal(.serviceUnavailable, "Too much is being done already.") }
    return await answer(work, for: request, up: 2)
  }

  /// Ends or undoes work on many timers.
  func change(
    work number: String?, by change: String?, for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    _ = try await checkedForm(of: request, by: visitor)
    let number = number.flatMap { Int($0) } ?? 0
    let work: BulkWork?
    switch change {
    case "stop": work = await desk.stop(number)
    case "undo":
      work = await desk.undo(number) { action, keys in
        order("\(action.rawValue) (undo)", on: keys, matching: nil, of: visitor, logger: logger)
      }
    default: throw Refusal(.notFound, "There is no such action.")
    }
    guard let work else { throw Refusal(.conflict, "That has ended, or can't be undone any more.") }
    guard work.number == number else { return await answer(work, for: request, up: 4) }
    // Work that was stopped says by itself how it ends, in the answer to the request that has begun it.
    trail.add(
      visitor.entry(
        "\(change ?? "") \(work.action.rawValue)", on: Self.summary(of: work.keys), count: nil,
        outcome: "done"))
    guard request.acceptsJSON else { return backToPage(from: request, up: 4) }
    return .page("\(work.text)\n", type: "text/plain; charset=utf-8")
  }

  /// Says that another number of timers match than the operator expects. Nothing was done.
  private func refuse(
    _ action: TimerAction, _ query: TimerQuery, _ expected: Int, _ count: Int, for request: Request,
    of visitor: Visitor, logger: Logger
  ) -> Response {
    let verb = count == 1 ? "matches" : "match"
    let refusal = Refusal(
      .conflict, "\(BulkWork.timers(count)) \(verb) now, and not \(expected.grouped). Nothing was changed.")
    audit.note(refusal, of: request, by: visitor, to: logger)
    trail.add(
      visitor.entry(action.rawValue, on: "timers\(query.text)", count: 0, outcome: refusal.message))
    var response = refusal.response(.page("\(refusal.message)\n", type: "text/plain; charset=utf-8"))
    response.headers[.matchCount] = "\(count)"
    return response
  }

  /// Has the work's end noted in the log and in the audit trail.
  private func order(
    _ name: String, on keys: [TimerKey], matching query: TimerQuery?, of visitor: Visitor, logger: Logger
  ) -> BulkOrder {
    let timers = query.map { "timers\($0.text)" } ?? Self.summary(of: keys)
    let entry = trail.add(visitor.entry(name, on: timers, count: keys.count, outcome: "under way"))
    return BulkOrder(operatorName: visitor.operatorName) { [audit, trail] work in
      trail.setOutcome(of: entry, to: work.text, count: work.doneCount)
      audit.note(
        work.action.rawValue, on: Self.summary(of: work.keys), matching: query, by: visitor,
        outcome: work.isStopped ? "stopped" : "done", to: logger)
    }
  }

  /// Tells a script how the work goes on, line by line, until it has ended. Leads a browser back to the page.
  private func answer(_ work: BulkWork, for request: Request, up count: Int) async -> Response {
    guard request.acceptsJSON else {
      // Waits for a short work's end, and no longer than a slice of a long one.
      for await _ in work.lines { break }
      return backToPage(from: request, up: count)
    }
    let body = ResponseBody { writer in
      // Used by the operation alone.
      nonisolated(unsafe) let writer = writer
      try await withGracefulEnd(within: grace) {
        var writer = unsafe writer
        for await line in work.lines { try await writer.write(ByteBuffer(string: "\(line)\n")) }
        try await writer.finish(nil)
      } onShutdown: {
        work.endLines()
      }
    }
    var headers = HTTPFields.page(type: "text/plain; charset=utf-8")
    headers[.accelBuffering] = "no"
    headers[.workNumber] = "\(work.number)"
    return Response(status: .ok, headers: headers, body: body)
  }

  /// The first keys, as many as a page shows, and the number of the others.
  private static func summary(of keys: [TimerKey]) -> String {
    let shown = keys.prefix(TimerQuery.pageSize).map(\.description).joined(separator: " ")
    let others = keys.count - TimerQuery.pageSize
    return others > 0 ? "\(shown) and \(others) more" : shown
  }
}
