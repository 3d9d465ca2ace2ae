import HTTPTypes
import Hummingbird

extension OperatorPage {
  /// Shows the form that asks for the token.
  func loginPage(for request: Request) -> Response {
    .page(loginView(for: request, prefix: "", message: nil).html.text, type: "text/html; charset=utf-8")
  }

  /// Logs in the operator whose token the form has, and leads to the page.
  func logIn(_ visitor: Visitor, for request: Request) async throws(Refusal) -> (Visitor, Response) {
    let form = try await request.form(LoginForm.self)
    try access.checkOwnPage(request, formToken: form.formToken)
    let name = try access.check(form.token ?? "", from: visitor.address)
    var response = backToPage(from: request, up: 1)
    response.setCookie(access.logIn(name, for: request))
    return (Visitor(address: visitor.address, operatorName: name, hasLogin: true), response)
  }

  /// Ends the operator's login, and leads to the page.
  func logOut(for request: Request) async throws(Refusal) -> Response {
    try access.checkOwnPage(request, formToken: try await request.form(LoginForm.self).formToken)
    var response = backToPage(from: request, up: 1)
    response.setCookie(access.logOut(request))
    return response
  }

  /// The form that asks for the token again, with the reason why a request was refused.
  func loginPage(for request: Request, refusedAs refusal: Refusal, prefix: String) -> Response {
    let view = loginView(for: request, prefix: prefix, message: prefix.isEmpty ? refusal.message : nil)
    return refusal.response(.page(view.html.text, type: "text/html; charset=utf-8"))
  }

  private func loginView(for request: Request, prefix: String, message: String?) -> LoginView {
    LoginView(
      prefix: prefix, query: TimerQuery(request), formToken: access.formToken.text, message: message)
  }
}
