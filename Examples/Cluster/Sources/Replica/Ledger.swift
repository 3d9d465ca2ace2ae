package import Foundation

/// A log of the replica's steps, one line each on standard output.
///
/// One call writes a line, so the line is whole, and stays even if the process is killed right after it.
struct Ledger {
  let replica: String

  func write(_ event: String, job: String, date: Date, token: String, attempt: Int) {
    Self.write("\(event) \(job) \(date.text) token \(token) attempt \(attempt) \(replica)")
  }

  func writeStart() {
    Self.write("start \(replica) \(ProcessInfo.processInfo.processIdentifier) \(Date().text)")
  }

  static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

extension Date {
  /// The date to the nearest millisecond, as PostgreSQL reads it. The format rounds down.
  package var text: String {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    return Date(timeIntervalSince1970: (milliseconds + 0.5) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
