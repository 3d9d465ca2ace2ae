import HTTPTypes
import Hummingbird
import Logging
import TimerLogging
import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    let name = timer.name.map { "\(key) \(DisplayName.text(for: $0))" } ?? "\(key)"
    let isChanged: Bool
    do throws(Refusal) {
      isChanged = try action.perform(on: timer)
    } catch {
      trail.add(visitor.entry(action.rawValue, on: name, count: 0, outcome: error.message))
      throw error
    }
    let logged = timer.name.map { "\(key) \(LoggedText($0))" } ?? "\(key)"
    audit.note(action.rawValue, on: logged, by: visitor, to: logger)
    trail.add(visitor.entry(action.rawValue, on: name, count: 1, outcome: "done"))
    switch action {
    case .pause where isChanged: trail.notePause(of: [key], by: visitor.operatorName, at: Date())
    case .resume: trail.noteResume(of: [key])
    case .pause, .fire, .cancel: break
    }
    await feed.refresh()
    guard !request.acceptsJSON else { return Response(status: .noContent, headers: .page()) }
    return backToPage(from: request, up: 3)
  }

  func checkedForm(
    of request: Request, by visitor: Visitor, upTo limit: Int = 16_384
  ) async throws(Refusal) -> ActionForm {
    try access.checkSite(of: request)
    let form = try await request.form(ActionForm.self, upTo: limit)
    try access.checkActing(visitor, request, with: form)
    return form
  }

  /// Returns a timer. Nil if it has finished, or isn't one of the newest look and `mayScan` is false: then a
  /// scheduler would have to compare the identifier with those of all its timers.
  func timer(_ key: TimerKey, mayScan: Bool = true) async -> ScheduledTimer? {
    let known = await feed.known(key)
    guard mayScan || known != nil else { return nil }
    return feed.scheduler(key)?.timer(id: known ?? key.id)
  }

  /// Leads a browser to the page with the same query, which is some parts of the path above what was asked
  /// for.
  func backToPage(from request: Request, up count: Int) -> Response {
    var headers = HTTPFields.page()
    headers[.location] = String(repeating: "../", count: count) + "timers" + TimerQuery(request).text
    return Response(status: .seeOther, headers: headers)
  }
}

extension Request {
  var acceptsJSON: Bool { headers[.accept]?.contains("application/json") == true }
}

extension Visitor {
  /// An entry of the audit trail.
  func entry(_ action: String, on timers: String, count: Int?, outcome: String) -> AuditTrail.Entry {
    AuditTrail.Entry(
      date: Date(), operatorName: operatorName, client: clientText, action: action, timers: timers,
      count: count, outcome: outcome)
  }
}
