import HTTPTypes
import Hummingbird
import Logging
import TimerLogging
import TimerScheduling

extension OperatorPage {
  /// Does to one timer what a form or a script has asked for.
  ///
  /// A form is sent back to the page, a script that accepts JSON gets an answer without content.
  func act(
    on key: TimerKey, by action: String?, for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    _ = try await checkedForm(of: request, by: visitor)
    guard let action = action.flatMap({ TimerAction(rawValue: $0) }) else {
      throw Refusal(.notFound, "There is no such action.")
    }
    guard let timer = await timer(key) else {
      throw Refusal(.notFound, "There is no such timer, or it has finished.")
    }
    try action.perform(on: timer)
    audit.note(
      action, on: timer.name.map { "\(key) \(LoggedText($0))" } ?? "\(key)", by: visitor,
      to: logger)
    await feed.refresh()
    guard !request.acceptsJSON else { return Response(status: .noContent, headers: .page()) }
    return backToPage(from: request, up: 3)
  }

  /// Does the same to all timers that a form names, or to all that meet the query in the address.
  ///
  /// One that can't be changed, as it has finished meanwhile, is left out. A script gets a sentence with the numbers.
  func actOnSelected(
    by action: String?, for request: Request, of visitor: Visitor, logger: Logger
  ) async throws(Refusal) -> Response {
    let form = try await checkedForm(of: request, by: visitor)
    guard let action = action.flatMap({ TimerAction(rawValue: $0) }), TimerAction.ofMany.contains(action)
    else {
      throw Refusal(.notFound, "There is no such action for several timers.")
    }
    let keys: [TimerKey]
    if form.all != nil {
      keys = await feed.matches(TimerQuery(request))
    } else {
      let named = Set((form.timer ?? []).compactMap { TimerKey($0) })
      // An identifier of a look is found at once, unlike one that was read from a text.
      keys = named.isEmpty ? [] : await feed.matches(TimerQuery()).filter(named.contains)
    }
    var changed: [TimerKey] = []
    for key in keys {
      guard let timer = await scheduler(key)?.timer(id: key.id), (try? action.perform(on: timer)) != nil
      else { continue }
      changed.append(key)
    }
    let count = changed.count
    audit.note(
      action, on: Self.summary(of: changed), matching: form.all == nil ? nil : TimerQuery(request),
      by: visitor,
      to: logger)
    await feed.refresh()
    guard request.acceptsJSON else { return backToPage(from: request, up: 2) }
    let timers = count == 1 ? "1 timer was" : "\(count.grouped) timers were"
    return .page("\(timers) \(action.participle).", type: "text/plain; charset=utf-8")
  }

  /// The first keys, as many as a page shows, and the number of the others.
  private static func summary(of keys: [TimerKey]) -> String {
    let shown = keys.prefix(TimerQuery.pageSize).map(\.description).joined(separator: " ")
    let others = keys.count - TimerQuery.pageSize
    return others > 0 ? "\(shown) and \(others) more" : shown
  }

  private func checkedForm(of request: Request, by visitor: Visitor) async throws(Refusal) -> ActionForm {
    try access.checkSite(of: request)
    let form = try await request.form(ActionForm.self)
    try access.checkActing(visitor, request, with: form)
    return form
  }

  /// Returns a timer. Nil if it has finished, or isn't one of the newest look and `mayScan` is false: then a scheduler would
  /// have to compare the identifier with those of all its timers.
  func timer(_ key: TimerKey, mayScan: Bool = true) async -> ScheduledTimer? {
    let known = await feed.known(key)
    guard mayScan || known != nil else { return nil }
    return await scheduler(key)?.timer(id: known ?? key.id)
  }

  private func scheduler(_ key: TimerKey) -> TimerScheduler? {
    feed.schedulers.first { $0.name == key.scheduler }?.scheduler
  }

  /// Leads a browser to the page with the same query, which is some parts of the path above what was asked for.
  func backToPage(from request: Request, up count: Int) -> Response {
    var headers = HTTPFields.page()
    headers[.location] = String(repeating: "../", count: count) + "timers" + TimerQuery(request).text
    return Response(status: .seeOther, headers: headers)
  }
}

extension Request {
  fileprivate var acceptsJSON: Bool { headers[.accept]?.contains("application/json") == true }
}
