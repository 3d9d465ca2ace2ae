/// The sender of a request.
struct Visitor: Sendable {
  /// The client's address. Nil if the server doesn't know it.
  let address: IPAddress?
  /// The operator's name, if the request has shown it.
  let operatorName: String?
  /// The operator's login, if the request has shown the name by its cookie, which the browser sends by
  /// itself.
  let login: Logins.Login?

  init(address: IPAddress?, operatorName: String? = nil, login: Logins.Login? = nil) {
    self.address = address
    self.operatorName = operatorName ?? login?.operatorName
    self.login = login
  }
}
