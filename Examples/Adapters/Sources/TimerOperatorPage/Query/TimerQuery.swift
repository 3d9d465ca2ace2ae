package import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which timers a page shows, and in which order. The page's address says it.
package struct TimerQuery: Sendable, Hashable {
  /// The text that a name contains. `#17` stands for the timer with this number.
  package var search = ""
  package var scheduler: String?
  package var state: StateFilter?
  package var order = RowOrder()
  /// The number of the page, from 1.
  package var page = 1
  /// The timer whose details are shown.
  package var open: TimerKey?

  package static let pageSize = 50
  private static let maximumSearchLength = 200

  package init() {}

  /// Reads a query from a request's address. What makes no sense there counts as left out.
  package init(_ request: Request) {
    let items = Self.items(of: request.uri.query ?? "")
    func value(_ name: String) -> String? { Self.value(name, in: items) }
    search = String((value("q") ?? "").prefix(Self.maximumSearchLength))
    scheduler = value("scheduler")
    state = value("state").flatMap { StateFilter(rawValue: $0) }
    order = value("sort").flatMap { RowOrder($0) } ?? RowOrder()
    page = value("page").flatMap { Int($0) }.map { min(max($0, 1), 1_000_000) } ?? 1
    open = value("open").flatMap { TimerKey($0) }
  }

  /// Returns what an address's query says of a name. Nil if it says nothing.
  static func value(_ name: String, of request: Request) -> String? {
    value(name, in: items(of: request.uri.query ?? ""))
  }

  private static func value(_ name: String, in items: [(name: String, value: String)]) -> String? {
    items.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// The query as it stands in an address, with the question mark, or nothing for the default query.
  package var text: String {
    var items: [(String, String)] = []
    if let scheduler { items.append(("scheduler", scheduler)) }
    if !search.isEmpty { items.append(("q", search)) }
    if let state { items.append(("state", state.rawValue)) }
    if order != RowOrder() { items.append(("sort", order.description)) }
    if page > 1 { items.append(("page", String(page))) }
    if let open { items.append(("open", open.description)) }
    return Self.text(of: items)
  }

  /// Names and values as they stand in an address, with the question mark, or nothing without any.
  static func text(of items: [(String, String)]) -> String {
    guard !items.isEmpty else { return "" }
    return "?" + items.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
  }

  /// The query after a change. Another search, filter or order begins at the first page.
  func with(_ change: (inout TimerQuery) -> Void) -> TimerQuery {
    var query = self
    change(&query)
    if query.page == page { query.page = 1 }
    return query
  }

  /// The parts of an address's query. Forms write a space as a plus sign.
  private static func items(of text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ part: Substring?) -> String {
        String((part ?? "").map { $0 == "+" ? " " : $0 }).removingPercentEncoding ?? ""
      }
      return (decoded(parts.first), decoded(parts.dropFirst().first))
    }
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch UnicodeScalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~", "/":
        escaped.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return escaped
  }
}
