import CPostgres

/// One connection of libpq, whose pointers stay in this file. It isn't thread-safe, and no call of it waits.
@safe final class Libpq {
  enum Poll {
    case needs(SocketWait.Event)
    case connected
    case failed
  }

  enum Answer {
    case rows([[String?]], tag: String)
    case failure(state: String, message: String)
  }

  private let connection: OpaquePointer

  /// Starts to connect. Names of hosts are looked up here, which takes a moment.
  init?(_ connectionString: String) {
    // The string stands in for the database's name and is expanded. The keyword after it wins over the
    // string.
    let connection = unsafe withTexts(["dbname", "client_encoding", nil]) { keywords in
      unsafe withTexts([connectionString, "UTF8", nil]) { values in
        unsafe PQconnectStartParams(keywords, values, 1)
      }
    }
    guard let connection = unsafe connection else { return nil }
    unsafe self.connection = unsafe connection
    // Notices would be printed.
    unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { unsafe PQfinish(connection) }

  var socket: CInt { unsafe PQsocket(connection) }
  var isBroken: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }
  var isInTransaction: Bool { unsafe PQtransactionStatus(connection) != PQTRANS_IDLE }
  var message: String { unsafe line(PQerrorMessage(connection)) }

  func poll() -> Poll {
    switch unsafe PQconnectPoll(connection) {
    case PGRES_POLLING_READING: return .needs(.readable)
    case PGRES_POLLING_WRITING: return .needs(.writable)
    case PGRES_POLLING_OK:
      return unsafe PQsetnonblocking(connection, 1) == 0 ? .connected : .failed
    default: return .failed
    }
  }

  func send(_ sql: String, _ parameters: [String?]) throws(PostgresError) {
    let isQueued = unsafe withTexts(parameters) { values in
      unsafe PQsendQueryParams(connection, sql, CInt(parameters.count), nil, values, nil, nil, 0)
    }
    guard isQueued == 1 else { throw .connection(message) }
  }

  /// Sends the queued data. Returns whether all of it is sent.
  func flush() throws(PostgresError) -> Bool {
    switch unsafe PQflush(connection) {
    case 0: return true
    case 1: return false
    default: throw .connection(message)
    }
  }

  /// Reads the data that the socket has.
  func receive() throws(PostgresError) {
    guard unsafe PQconsumeInput(connection) == 1 else { throw .connection(message) }
  }

  /// Whether the next answer isn't complete yet.
  var isWaiting: Bool { unsafe PQisBusy(connection) == 1 }

  /// Returns the next answer to a statement, and nil after the last one.
  func nextAnswer() throws(PostgresError) -> Answer? {
    guard let result = unsafe PQgetResult(connection) else { return nil }
    defer { unsafe PQclear(result) }
    switch unsafe PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
      let rows = unsafe (0..<PQntuples(result)).map { row in
        unsafe (0..<PQnfields(result)).map { column -> String? in
          if unsafe PQgetisnull(result, row, column) == 1 { return nil }
          return unsafe String(cString: PQgetvalue(result, row, column))
        }
      }
      return .rows(rows, tag: unsafe String(cString: PQcmdStatus(result)))
    case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
      throw .connection("COPY isn't supported.")
    default:
      // PG_DIAG_SQLSTATE is a character, which isn't imported.
      let state = unsafe PQresultErrorField(result, CInt(UInt8(ascii: "C")))
      return .failure(state: unsafe line(state), message: unsafe line(PQresultErrorMessage(result)))
    }
  }

  /// Takes a notification that was received. Returns whether there was one.
  func takeNotification() -> Bool {
    guard let notification = unsafe PQnotifies(connection) else { return false }
    unsafe PQfreemem(notification)
    return true
  }

  /// Returns a closure that asks the server to stop the running statement. It blocks until the server
  /// answers.
  func makeCancel() -> @Sendable () -> Void {
    // A copy of the server's address and of the session's key, which may outlive the connection.
    nonisolated(unsafe) let cancel = unsafe PQgetCancel(connection)
    return {
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        _ = unsafe PQcancel(cancel, buffer.baseAddress, CInt(buffer.count))
      }
      unsafe PQfreeCancel(cancel)
    }
  }
}

/// Returns a message of libpq without the line feed at its end.
private func line(_ message: UnsafePointer<CChar>?) -> String {
  guard let message = unsafe message else { return "" }
  return unsafe String(cString: message).split(separator: "\n").joined(separator: " ")
}

/// Calls a function with texts as C strings, which live as long as the call.
private func withTexts<R>(
  _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
) -> R {
  var characters: [CChar] = []
  let offsets = texts.map { text -> Int? in
    guard let text else { return nil }
    defer { characters.append(contentsOf: text.utf8CString) }
    return characters.count
  }
  return unsafe characters.withUnsafeBufferPointer { characters in
    let pointers = unsafe offsets.map { offset in
      unsafe offset.flatMap { offset in unsafe characters.baseAddress.map { unsafe $0 + offset } }
    }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}
