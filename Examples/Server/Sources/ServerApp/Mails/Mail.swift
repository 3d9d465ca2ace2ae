import TimerSchedulingCluster

/// A mail that is to be sent: the payload of a job.
package struct Mail: Codable, Sendable {
  package var to: String

  package init(to: String) { self.to = to }
}

extension JobKind where Payload == Mail {
  /// The jobs that send a mail each.
  static var mail: Self { Self("mail") }
}

/// A mail server that is made up. One whose name ends with `.invalid` never answers.
struct MailServer: Sendable {
  struct NoAnswer: Error {}

  func send(_ mail: Mail) async throws {
    if mail.to.hasSuffix(".invalid") { throw NoAnswer() }
  }
}
