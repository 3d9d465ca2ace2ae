/// The operators who have logged in, by the secret in their cookie.
///
/// A login ends when it wasn't used for twelve hours, or when a thousand newer ones were made.
package struct Logins: Sendable {
  private struct Login {
    let operatorName: String
    var lastUse: Duration
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
    logins[secret] = Login(operatorName: operatorName, lastUse: now)
    return secret
  }

  /// The name of the operator with a secret, which counts as a use of the login. Nil if the login has ended.
  package mutating func operatorName(for secret: String, at now: Duration) -> String? {
    guard let login = logins[secret], login.lastUse + Self.idleLimit > now else { return nil }
    logins[secret]?.lastUse = now
    return login.operatorName
  }

  package mutating func remove(_ secret: String) { logins[secret] = nil }
}
