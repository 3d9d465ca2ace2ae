/// The operators who have logged in, by the secret in their cookie.
///
/// A login ends when it wasn't used for twelve hours, or when a thousand newer ones were made.
package struct Logins: Sendable {
  package struct Login: Sendable {
    package let operatorName: String
    /// The secret in the forms of the operator's pages.
    package let formToken: Secret
    fileprivate var lastUse: Duration
  }

  package static let idleLimit = Duration.seconds(12 * 3_600)
  package static let countLimit = 1_000
  private var logins: [String: Login] = [:]

  package init() {}

  /// Logs an operator in. Returns the secret for the cookie.
  package mutating func add(_ operatorName: String, at now: Duration) -> String {
    logins = logins.filter { $0.value.lastUse + Self.idleLimit > now }
    if logins.count >= Self.countLimit, let oldest = logins.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      logins[oldest.key] = nil
    }
    let secret = Secret.random().text
    logins[secret] = Login(operatorName: operatorName, formToken: .random(), lastUse: now)
    return secret
  }

  /// The login with a secret. Nil if it has ended.
  package func login(with secret: String, at now: Duration) -> Login? {
    guard let login = logins[secret], login.lastUse + Self.idleLimit > now else { return nil }
    return login
  }

  /// Notes a use of a login, which then lasts longer.
  package mutating func noteUse(of secret: String, at now: Duration) { logins[secret]?.lastUse = now }

  package mutating func remove(_ secret: String) { logins[secret] = nil }
}
