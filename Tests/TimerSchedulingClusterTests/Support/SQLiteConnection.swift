import Foundation

/// A database in memory, by the machine's library of SQLite.
@safe final class SQLiteConnection {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private typealias Statement = OpaquePointer
  private let library: Library
  private let database: OpaquePointer
  private var statements: [String: Statement] = unsafe [:]

  init() throws {
    unsafe library = try Library()
    var opened: OpaquePointer?
    guard unsafe library.open(":memory:", &opened) == 0, let opened = unsafe opened else {
      throw Failure(description: "SQLite can't open a database in memory.")
    }
    unsafe database = opened
  }

  deinit {
    unsafe statements.values.forEach { unsafe _ = library.finalize($0) }
    unsafe _ = library.close(database)
  }

  /// Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as text.
  func execute(_ sql: String, _ parameters: [String?]) throws -> [[String?]] {
    let statement = unsafe try prepared(sql)
    defer { unsafe _ = library.reset(statement) }
    for (place, parameter) in parameters.enumerated() {
      let place = Int32(place + 1)
      if let parameter {
        // The last -1 has SQLite copy the text.
        unsafe _ = library.bindText(statement, place, parameter, -1, -1)
      } else {
        unsafe _ = library.bindNull(statement, place)
      }
    }
    var rows: [[String?]] = []
    while true {
      switch unsafe library.step(statement) {
      case 100:
        let columns = unsafe 0..<library.columnCount(statement)
        rows.append(
          columns.map { unsafe library.columnText(statement, $0).map { unsafe String(cString: $0) } })
      case 101: return rows
      case let code: throw Failure(description: "SQLite's error \(code) in: \(sql)")
      }
    }
  }

  private func prepared(_ sql: String) throws -> Statement {
    if let known = unsafe statements[sql] { return unsafe known }
    var made: Statement?
    guard unsafe library.prepare(database, sql, -1, &made, nil) == 0, let made = unsafe made else {
      throw Failure(description: "SQLite doesn't understand: \(sql)")
    }
    unsafe statements[sql] = made
    return unsafe made
  }
}

/// The functions of SQLite, which the package itself isn't linked with.
@unsafe private struct Library {
  let open: @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let close: @convention(c) (OpaquePointer) -> Int32
  let prepare:
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
    ) -> Int32
  let bindText: @convention(c) (OpaquePointer, Int32, UnsafePointer<CChar>, Int32, Int) -> Int32
  let bindNull: @convention(c) (OpaquePointer, Int32) -> Int32
  let step: @convention(c) (OpaquePointer) -> Int32
  let columnCount: @convention(c) (OpaquePointer) -> Int32
  let columnText: @convention(c) (OpaquePointer, Int32) -> UnsafePointer<CChar>?
  let reset: @convention(c) (OpaquePointer) -> Int32
  let finalize: @convention(c) (OpaquePointer) -> Int32

  init() throws {
    let names = ["libsqlite3.so.0", "libsqlite3.dylib"]
    guard let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first else {
      throw SQLiteConnection.Failure(description: "There is no SQLite. On Debian, install libsqlite3-0.")
    }
    func function<Function>(_ name: String) throws -> Function {
      guard let found = unsafe dlsym(handle, "sqlite3_\(name)") else {
        throw SQLiteConnection.Failure(description: "SQLite has no function \(name).")
      }
      return unsafe unsafeBitCast(found, to: Function.self)
    }
    unsafe open = try function("open")
    unsafe close = try function("close")
    unsafe prepare = try function("prepare_v2")
    unsafe bindText = try function("bind_text")
    unsafe bindNull = try function("bind_null")
    unsafe step = try function("step")
    unsafe columnCount = try function("column_count")
    unsafe columnText = try function("column_text")
    unsafe reset = try function("reset")
    unsafe finalize = try function("finalize")
  }
}
