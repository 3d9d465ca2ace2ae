import Foundation
package import PostgresClient
package import Testing

/// The databases that `Examples/Cluster/database swift test` starts beside the tests.
package enum Databases {
  package static let direct = variable("CLUSTER_DATABASE")
  /// The same database behind pgbouncer in transaction mode.
  package static let pooled = variable("CLUSTER_POOLER")
  /// The file of the certificate that the server shows.
  package static let certificate = variable("CLUSTER_CERTIFICATE")

  package static let areThere = ConditionTrait.enabled(
    if: ProcessInfo.processInfo.environment["CLUSTER_DATABASE"] != nil,
    "These tests need a database: run Examples/Cluster/database swift test --package-path Examples/Cluster")

  /// Makes an empty database, and returns what to add to a connection string to reach it.
  package static func makeEmpty() async throws -> String {
    let name = "empty_\(UUID().uuidString.prefix(8).lowercased())"
    try await PostgresClient(direct).rows("CREATE DATABASE \(name)")
    // The last of two equal keywords wins.
    return " dbname=\(name)"
  }

  private static func variable(_ name: String) -> String {
    ProcessInfo.processInfo.environment[name] ?? ""
  }
}

extension PostgresClient {
  /// Asks again until a query returns at least one row. The time limit of the test ends it otherwise.
  package func waitForRows(_ sql: String, _ parameters: [String?] = []) async throws {
    while try await rows(sql, parameters).isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
