import HTTPTypes
import Hummingbird

extension OperatorPage {
  /// Shows the form that asks for the token.
  func loginPage(for request: Request, of visitor: Visitor) -> Response {
    .page(
      loginView(for: request, of: visitor, prefix: "", message: nil).html.text,
      type: "text/html; charset=utf-8")
  }

  /// Logs in the operator whose token the form has, and leads to the page.
  func logIn(_ visitor: Visitor, for request: Request) async throws(Refusal) -> (Visitor, Response) {
    let form = try await request.form(LoginForm.self)
    try access.checkOwnPage(request, of: visitor, formToken: form.formToken)
    let name = try access.check(form.token ?? "", from: visitor.address)
    var response = backToPage(from: request, up: 1)
    response.setCookie(access.logIn(name, for: request))
    return (Visitor(address: visitor.address, operatorName: name), response)
  }

  /// Ends the operator's login, and leads to the page.
  func logOut(_ visitor: Visitor, for request: Request) async throws(Refusal) -> Response {
    let form = try await request.form(LoginForm.self)
    try access.checkOwnPage(request, of: visitor, formToken: form.formToken)
    var response = backToPage(from: request, up: 1)
    response.setCookie(access.logOut(request))
    return response
  }

  /// The form that asks for the token again, with the reason why a request was refused.
  func loginPage(
    for request: Request, of visitor: Visitor, refusedAs refusal: Refusal, prefix: String
  ) -> Response {
    let view = loginView(
      for: request, of: visitor, prefix: prefix, message: prefix.isEmpty ? refusal.message : nil)
    return refusal.response(.page(view.html.text, type: "text/html; charset=utf-8"))
  }

  private func loginView(for request: Request, of visitor: Visitor, prefix: String, message: String?)
    -> LoginView
  {
    LoginView(
      prefix: prefix, query: TimerQuery(request),
      links: loginLinks(for: request, of: visitor, prefix: prefix),
      message: message)
  }
}
