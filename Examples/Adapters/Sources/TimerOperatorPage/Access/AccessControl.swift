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
  /// The secret in the page's own forms. A page of another site can't read it.
  let formToken = Secret.random()
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
  /// The browser sends a login's cookie with every request, so a cookie alone proves nothing. A request whose sender says
  /// nothing of where it comes from, such as an old browser's, has to carry the form token.
  func checkOwnPage(_ request: Request, formToken given: String?) throws(Refusal) {
    try checkSite(of: request)
    guard !hosts.isOfOwnPage(request) else { return }
    guard let given, formToken.matches(given) else {
      throw Refusal(.forbidden, "Nothing shows that this is from the page. Load it again.")
    }
  }

  // MARK: Visitors

  /// Finds out who has sent a request, by a token in its headers or by the cookie of a login.
  func visitor(of request: Request, from address: IPAddress?) throws(Refusal) -> Visitor {
    if asksForToken {
      if let token = request.adminToken {
        return Visitor(address: address, operatorName: try check(token, from: address), hasLogin: false)
      }
      if let secret = request.loginSecret,
        let name = state.withLock({ $0.logins.operatorName(for: secret, at: elapsed()) })
      {
        return Visitor(address: address, operatorName: name, hasLogin: true)
      }
    }
    return Visitor(address: address, operatorName: nil, hasLogin: false)
  }

  /// Refuses visitors without a token, unless every client may look.
  func checkLooking(_ visitor: Visitor) throws(Refusal) {
    switch access {
    case .open, .tokens(_, isPublic: true): break
    case .tokens(_, isPublic: false):
      if visitor.operatorName == nil { throw Refusal(.unauthorized, "Log in to see the timers.") }
    }
  }

  /// Refuses actions without a token. If none is asked for, or a login stands in for it, refuses those that don't show that
  /// they are the page's.
  func checkActing(_ visitor: Visitor, _ request: Request, with form: ActionForm) throws(Refusal) {
    if asksForToken, visitor.operatorName == nil {
      throw Refusal(.unauthorized, "The admin token is missing, or the login has ended. Log in.")
    }
    if visitor.operatorName == nil || visitor.hasLogin {
      try checkOwnPage(request, formToken: form.formToken)
    }
  }

  // MARK: Tokens

  /// Returns the name of the operator whose token this is. A client that has given wrong ones has to wait before that.
  func check(_ given: String, from address: IPAddress?) throws(Refusal) -> String {
    guard case .tokens(let tokens, _) = access, !given.isEmpty else {
      throw Refusal(.unauthorized, "The admin token is missing.")
    }
    return try state.withLock { state throws(Refusal) -> String in
      let now = elapsed()
      let delay = state.throttle.delay(of: address, at: now)
      guard delay == .zero else { throw Refusal(.tooManyRequests, retryAfter: delay) }
      // All are compared, so the time doesn't say which one was nearly right.
      guard let token = tokens.filter({ $0.secret.matches(given) }).first else {
        state.throttle.noteFailure(of: address, at: now)
        throw Refusal(.forbidden, "The admin token is wrong.", isWrongToken: true)
      }
      state.throttle.noteSuccess(of: address)
      return token.name
    }
  }

  /// Logs an operator in. Returns the cookie by which the browser is known from now on.
  ///
  /// It has no path, so the browser sends it with requests for the page alone, also where a proxy adds a prefix.
  func logIn(_ operatorName: String, for request: Request) -> Cookie {
    let secret = state.withLock { $0.logins.add(operatorName, at: elapsed()) }
    let isSecure = request.headers[.origin]?.hasPrefix("https://") == true
    return Cookie(name: Self.cookieName, value: secret, secure: isSecure, httpOnly: true, sameSite: .strict)
  }

  /// Ends the login of a request. Returns the cookie that has the browser forget it.
  func logOut(_ request: Request) -> Cookie {
    if let secret = request.loginSecret { state.withLock { $0.logins.remove(secret) } }
    return Cookie(name: Self.cookieName, value: "", maxAge: 0, httpOnly: true, sameSite: .strict)
  }

  fileprivate static let cookieName = "timers-login"
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

  fileprivate var loginSecret: String? { cookies[AccessControl.cookieName]?.value }
}
