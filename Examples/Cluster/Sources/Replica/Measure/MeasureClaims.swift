#if PostgreSQL
import ArgumentParser
import PostgresClient
import TimerSchedulingCluster

/// Claims and ends runs as fast as the database grants them, beside plain updates of a row.
struct MeasureClaims: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "claims", abstract: "Measure claims a second and what a claim takes.")

  @Option(help: "A connection string or URL of libpq.")
  var postgres: String

  @Option(help: "The numbers of connections, each with a job of its own.")
  var connections = [1, 4, 16]

  @Option(help: "The seconds of each round.")
  var seconds = 3.0

  @Option(help: "The number of rounds.")
  var rounds = 5

  func run() async throws {
    print(
      "connections | claimed and ended a second | claim p50, ms | claim p99, ms | pairs of updates a second")
    for count in connections {
      let client = PostgresClient(postgres, connections: count)
      let store = PostgresTimerStore { sql, parameters in try await client.rows(sql, parameters) }
      try await store.migrate()
      try await PlainUpdates.makeTable(count, in: client)
      var (claims, updates) = ([Load.Result](), [Load.Result]())
      for _ in 0..<rounds {
        claims.append(
          try await Load.run(count, for: .seconds(seconds)) { number in try await JobClaims(client, number) })
        updates.append(
          try await Load.run(count, for: .seconds(seconds)) { number in PlainUpdates(client, number) })
      }
      print(
        count, claims.map(\.perSecond).summary, claims.map { $0.milliseconds(0.5) }.summary,
        claims.map { $0.milliseconds(0.99) }.summary, updates.map(\.perSecond).summary, separator: " | ")
      await client.close()
    }
  }
}
#endif
