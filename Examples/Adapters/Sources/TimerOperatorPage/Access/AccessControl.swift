import HTTPTypes
import Hummingbird
import Synchronization

/// Decides who may look at the page, and who may act.
final class AccessControl: Sendable {
  private struct State {
    var throttle = GuessThrottle()
    var logins = Logins()
  }

  let hosts: HostList
  let access: PageAccess
  /// The secret in the forms of pages that are shown without a login.
  private let formToken = Secret.random()
  /// Logins are known to one server of a host only, whatever its port, as browsers tell no ports apart.
  private let cookieName = "timers-login-\(Secret.random().text.prefix(6))"
  private let elapsed: @Sendable () -> Duration
  /// Guards the logins and the delays of clients that guess.
  private let state = Mutex(State())

  init(hosts: HostList, access: PageAccess, elapsed: @escaping @Sendable () -> Duration) {
    self.hosts = hosts
    self.access = access
    self.elapsed = elapsed
  }

  var asksForToken: Bool {
    switch access {
    case .open: false
    case .tokens: true
    }
  }

  // MARK: Requests

  /// Refuses requests for hosts that this server doesn't go by.
  func checkHost(of request: Request) throws(Refusal) {
    guard !request.hasSeveralHosts else { throw Refusal(.badRequest, "A request names one host.") }
    guard let authority = request.head.authority, hosts.contains(authority) else {
      throw Refusal(.forbidden, "This isn't a host under which the page is shown.")
    }
  }

  /// Refuses requests that a page of another site has made, as far as the browser says so.
  func checkSite(of request: Request) throws(Refusal) {
    if hosts.isOfOtherSite(request) {
      throw Refusal(.forbidden, "Requests from other sites are refused.")
    }
  }

  /// Refuses a post that neither the browser nor the form token shows to be the page's own.
  ///
  /// The browser sends a login's cookie with every request, so a cookie alone proves nothing. A request whose
  /// sender says nothing of where it comes from, such as an old browser's, has to carry the form token.
  func checkOwnPage(_ request: Request, of visitor: Visitor, formToken given: String?) throws(Refusal) {
    try checkSite(of: request)
    guard !hosts.isOfOwnPage(request) else { return }
    guard let given, formToken(for: visitor).matches(given) else {
      throw Refusal(.forbidden, "Nothing shows that this is from the page. Load it again.")
    }
  }

  /// The secret in the forms of a visitor's pages. A page of another site can't read it.
  func formToken(for visitor: Visitor) -> Secret { visitor.login?.formToken ?? formToken }

  // MARK: Visitors

  /// Finds out who has sent a request, by a token in its headers or by the cookie of a login.
  func visitor(of request: Request, from address: IPAddress?) throws(Refusal) -> Visitor {
    if asksForToken {
      if let token = request.adminToken {
        return Visitor(address: address, operatorName: try check(token, from: address))
      }
      return Visitor(address: address, login: login(of: request, isUse: true))
    }
    return Visitor(address: address)
  }

  /// Whether a visitor may go on looking: the operator hasn't logged out meanwhile.
  func mayGoOn(_ visitor: Visitor, with request: Request) -> Bool {
    visitor.login == nil || login(of: request, isUse: false) != nil
  }

  /// The login of a request. It lasts longer if the request is a use of it.
  private func login(of request: Request, isUse: Bool) -> Logins.Login? {
    guard let secret = loginSecret(in: request) else { return nil }
    return state.withLock { state in
      let now = elapsed()
      guard let login = state.logins.login(with: secret, at: now) else { return nil }
      if isUse { state.logins.noteUse(of: secret, at: now) }
      return login
    }
  }

  private func loginSecret(in request: Request) -> String? { request.cookies[cookieName]?.value }

  /// Refuses visitors without a token, unless every client may look.
  func checkLooking(_ visitor: Visitor) throws(Refusal) {
    switch access {
    case .open, .tokens(_, isPublic: true): break
    case .tokens(_, isPublic: false):
      if visitor.operatorName == nil { throw Refusal(.unauthorized, "Log in to see the timers.") }
    }
  }

  /// Refuses actions without a token. If none is asked for, or a login stands in for it, refuses those that
  /// don't show that they are the page's, and those of a page that is out of date.
  func checkActing(_ visitor: Visitor, _ request: Request, with form: ActionForm) throws(Refusal) {
    if asksForToken, visitor.operatorName == nil {
      throw Refusal(.unauthorized, "The admin token is missing, or the login has ended. Log in.")
    }
    if visitor.operatorName == nil || visitor.login != nil {
      try checkOwnPage(request, of: visitor, formToken: form.formToken)
      // After another start of the server, other timers have the numbers that the page shows.
      if let given = form.formToken, !given.isEmpty, !formToken(for: visitor).matches(given) {
        throw Refusal(
          .conflict, "The page is from before a restart of the server or another login. Load it again.")
      }
    }
  }

  // MARK: Tokens

  /// Returns the name of the operator whose token this is.
  ///
  /// A right token is let in at any time, so that no client locks out an operator whose address it shares. It
  /// says nothing of who has guessed at others from that address, so it shortens no delay.
  func check(_ given: String, from address: IPAddress?) throws(Refusal) -> String {
    guard case .tokens(let tokens, _) = access, !given.isEmpty else {
      throw Refusal(.unauthorized, "The admin token is missing.")
    }
    return try state.withLock { state throws(Refusal) -> String in
      // All are compared, so the time doesn't say which one was nearly right.
      if let token = tokens.filter({ $0.secret.matches(given) }).first { return token.name }
      let now = elapsed()
      let delay = state.throttle.delay(of: address, at: now)
      guard delay == .zero else { throw Refusal(.tooManyRequests, retryAfter: delay) }
      state.throttle.noteFailure(of: address, at: now)
      throw Refusal(.forbidden, "The admin token is wrong.", isWrongToken: true)
    }
  }

  /// Logs an operator in. Returns the cookie by which the browser is known from now on.
  ///
  /// It has no path, so the browser sends it with requests for the page alone, also where a proxy adds a
  /// prefix. It is sent where a link from elsewhere leads to the page, as looking changes nothing.
  func logIn(_ operatorName: String, for request: Request) -> Cookie {
    let secret = state.withLock { $0.logins.add(operatorName, at: elapsed()) }
    let isSecure = request.headers[.origin]?.hasPrefix("https://") == true
    return Cookie(name: cookieName, value: secret, secure: isSecure, httpOnly: true, sameSite: .lax)
  }

  /// Ends the login of a request. Returns the cookie that has the browser forget it.
  func logOut(_ request: Request) -> Cookie {
    if let secret = loginSecret(in: request) { state.withLock { $0.logins.remove(secret) } }
    return Cookie(name: cookieName, value: "", maxAge: 0, httpOnly: true, sameSite: .lax)
  }
}

extension Request {
  /// The token in `X-Admin-Token`, or in `Authorization` after `Bearer`.
  fileprivate var adminToken: String? {
    if let token = headers[.adminToken] { return token }
    guard let words = headers[.authorization]?.split(separator: " ", maxSplits: 1), words.count == 2,
      words[0].lowercased() == "bearer"
    else { return nil }
    return String(words[1])
  }
}
