package import Foundation

/// The value that the upstream had last.
package actor Cache {
  /// A value, and when it was fetched.
  package struct Entry: Codable, Sendable, Equatable {
    package var value: String
    package var date: Date

    package init(value: String, date: Date) {
      self.value = value
      self.date = date
    }
  }

  /// The newest entry. Nil before the first.
  package private(set) var entry: Entry?
  private let upstream: any Upstream

  package init(upstream: any Upstream) {
    self.upstream = upstream
  }

  /// Fetches the value anew. The old one stays if that fails.
  package func refresh(at date: Date) async throws {
    entry = Entry(value: try await upstream.fetch(), date: date)
  }
}
