import HTTPTypes
import Hummingbird
import TimerScheduling

extension OperatorPage {
  /// Does what a form or a script has asked for.
  ///
  /// A form is sent back to the page, a script that accepts JSON gets an answer without content.
  func act(on id: String?, by action: String?, for request: Request) async throws(Refusal) -> Response {
    try access.checkHost(of: request)
    try access.checkSite(of: request)
    try access.checkRights(of: request, with: await ActionForm(of: request))

    guard let action = action.flatMap({ TimerAction(rawValue: $0) }) else {
      throw Refusal(.notFound, "There is no such action.")
    }
    guard let id = id.flatMap({ ScheduledTimer.ID($0) }) else {
      throw Refusal(.badRequest, "A timer's identifier is a number.")
    }
    guard let timer = await scheduler.timer(id: id) else {
      throw Refusal(.notFound, "There is no such timer, or it has finished.")
    }
    try action.perform(on: timer)
    await feed.refresh()

    guard request.headers[.accept]?.contains("application/json") != true else {
      return Response(status: .noContent, headers: .page())
    }
    var headers = HTTPFields.page()
    headers[.location] = "/timers"
    return Response(status: .seeOther, headers: headers)
  }
}
