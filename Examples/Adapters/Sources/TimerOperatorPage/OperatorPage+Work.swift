import HTTPTypes
import Hummingbird
import Logging

/// Work on many timers or jobs: how an operator hears of it, stops it and undoes it.
extension OperatorPage {
  /// Ends or undoes work.
  ///
  /// - Parameters:
  ///   - back: What leads a browser back to the page.
  ///   - order: The order for the work that undoes it.
  func change<Action: BulkAction>(
    _ number: String?, of desk: BulkDesk<Action>, by change: String?, for request: Request,
    of visitor: Visitor, back: Response, order: @Sendable (Action, [Action.Key]) -> BulkOrder<Action>
  ) async throws(Refusal) -> Response {
    let number = number.flatMap { Int($0) } ?? 0
    let work: BulkWork<Action>?
    switch change {
    case "stop": work = await desk.stop(number)
    case "undo": work = await desk.undo(number, order: order)
    default: throw Refusal(.notFound, "There is no such action.")
    }
    guard let work else { throw Refusal(.conflict, "That has ended, or can't be undone any more.") }
    guard work.number == number else { return await answer(work, for: request, back: back) }
    // Work that was stopped says by itself how it ends, in the answer to the request that has begun it.
    trail.add(
      visitor.entry(
        "\(change ?? "") \(work.action.rawValue)", on: Self.summary(of: work.keys), count: nil,
        outcome: "done"))
    guard request.acceptsJSON else { return back }
    return .page("\(work.text)\n", type: "text/plain; charset=utf-8")
  }

  /// Tells a script how the work goes on, line by line, until it has ended. Leads a browser back to the page.
  func answer<Action: BulkAction>(
    _ work: BulkWork<Action>, for request: Request, back: Response
  ) async -> Response {
    guard request.acceptsJSON else {
      // Waits for a short work's end, and no longer than a slice of a long one.
      for await _ in work.lines { break }
      return back
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

  /// Says that another number of timers or jobs match than the operator expects. Nothing was done.
  ///
  /// - Parameters:
  ///   - count: The number in words.
  ///   - target: What is logged as the action's target.
  func refuse<Action: BulkAction>(
    _ action: Action, on target: String, _ expected: Int?, _ count: Int, for request: Request,
    of visitor: Visitor, logger: Logger
  ) -> Response {
    let verb = count == 1 ? "matches" : "match"
    let otherwise = expected.map { ", and not \($0.grouped). Nothing was changed." } ?? "."
    let refusal = Refusal(.conflict, "\(Action.text(count)) \(verb) now\(otherwise)")
    if expected != nil {
      audit.note(refusal, of: request, by: visitor, to: logger)
      trail.add(visitor.entry(action.rawValue, on: target, count: 0, outcome: refusal.message))
    }
    var response = refusal.response(.page("\(refusal.message)\n", type: "text/plain; charset=utf-8"))
    response.headers[.matchCount] = "\(count)"
    return response
  }

  /// Has the work's end noted in the log and in the audit trail.
  ///
  /// - Parameter target: What is logged as the target in place of the keys.
  func order<Action: BulkAction>(
    _ action: Action, isUndo: Bool = false, on keys: [Action.Key], matching target: String? = nil,
    query: JobQuery? = nil, of visitor: Visitor, logger: Logger
  ) -> BulkOrder<Action> {
    let entry = trail.add(
      visitor.entry(
        action.rawValue + (isUndo ? " (undo)" : ""), on: target ?? Self.summary(of: keys), count: keys.count,
        outcome: "under way"))
    return BulkOrder(operatorName: visitor.operatorName, query: query, isUndo: isUndo) {
      [audit, trail] work in
      trail.setOutcome(of: entry, to: work.text, count: work.doneCount)
      audit.note(
        work.action.rawValue, on: Self.summary(of: work.keys), matching: target, by: visitor,
        outcome: work.isStopped ? "stopped" : "done", to: logger)
    }
  }

  /// The first keys, as many as a page shows, and the number of the others.
  static func summary(of keys: [some CustomStringConvertible]) -> String {
    let shown = keys.prefix(TimerQuery.pageSize).map { DisplayName.text(for: "\($0)") }
    let others = keys.count - TimerQuery.pageSize
    return shown.joined(separator: " ") + (others > 0 ? " and \(others) more" : "")
  }
}
