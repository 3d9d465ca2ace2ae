/// An error that says that an operation took longer than ``withTimeout(_:on:_:)`` allows.
public struct TimeoutError: Error, Hashable {
  /// The longest time that the operation was allowed to take.
  public var limit: Duration

  /// Creates an error for an operation that took longer than `limit`.
  public init(limit: Duration) {
    self.limit = limit
  }
}

extension TimeoutError: CustomStringConvertible {
  /// A sentence that names the limit.
  public var description: String { "The operation took longer than \(limit)." }
}
