/// Where the cache's value comes from.
public protocol Upstream: Sendable {
  /// Returns the present value.
  func fetch() async throws -> String
}
