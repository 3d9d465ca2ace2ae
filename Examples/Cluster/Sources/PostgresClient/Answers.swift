/// The server's answers to one statement, collected as they come.
struct Answers {
  private(set) var rows: [[String?]] = []
  /// The server's confirmation, such as `INSERT 0 1`.
  private(set) var tag = ""
  private var failure: PostgresError?

  mutating func append(_ answer: Libpq.Answer) {
    switch answer {
    case .rows(let rows, let tag): (self.rows, self.tag) = (rows, tag)
    case .failure(let state, let message): failure = failure ?? PostgresError(state: state, message: message)
    }
  }

  func throwFailure() throws(PostgresError) {
    if let failure { throw failure }
  }
}

extension PostgresError {
  /// Tells a refused statement from a lost connection by the state: none is libpq's own, class 08 is a
  /// pooler's, and the others are those of a server that goes down or ends a session.
  fileprivate init(state: String, message: String) {
    if state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P0") || state == "25P03" {
      self = .connection(message)
    } else {
      self = .server(state: state, message: message)
    }
  }
}
