/// An operator's action that can be done to many timers or jobs.
package protocol BulkAction: Sendable, Equatable {
  /// The key of one of them.
  associatedtype Key: Sendable, Hashable, CustomStringConvertible

  /// The word for one of them.
  static var noun: String { get }
  /// The action as it stands in addresses, in the log and in the audit trail.
  var rawValue: String { get }
  var title: String { get }
  /// The action as it is told of once it is done.
  var participle: String { get }
  /// The action that undoes this one. Nil if none does.
  var reverse: Self? { get }
  /// Whether the action waits for a while when it is done to many, as it can be neither undone nor repeated.
  var isHeldBack: Bool { get }
}

extension BulkAction {
  /// The number of timers or jobs in words.
  static func text(_ count: Int) -> String { count == 1 ? "1 \(noun)" : "\(count.grouped) \(noun)s" }
}
