/// One row of an answer, read column by column.
struct PostgresRow {
  private var columns: ArraySlice<String?>
  private let row: [String?]

  init(_ row: [String?]) {
    self.row = row
    columns = row[...]
  }

  /// Reads the next column, nil for NULL.
  mutating func text() throws -> String? {
    guard let column = columns.popFirst() else { throw UnexpectedAnswer("\(row)") }
    return column
  }

  /// Reads the next column, which must not be NULL.
  mutating func string() throws -> String {
    guard let text = try text() else { throw UnexpectedAnswer("\(row)") }
    return text
  }

  mutating func optionalNumber() throws -> Int64? {
    guard let text = try text() else { return nil }
    guard let number = Int64(text) else { throw UnexpectedAnswer("\(row)") }
    return number
  }

  mutating func number() throws -> Int64 {
    guard let number = try optionalNumber() else { throw UnexpectedAnswer("\(row)") }
    return number
  }

  mutating func count() throws -> Int { Int(try number()) }

  mutating func time() throws -> StoreTime { StoreTime(microseconds: try number()) }

  mutating func optionalTime() throws -> StoreTime? {
    try optionalNumber().map { StoreTime(microseconds: $0) }
  }

  mutating func bool() throws -> Bool {
    switch try string() {
    case "t", "true": true
    case "f", "false": false
    default: throw UnexpectedAnswer("\(row)")
    }
  }
}
