import ArgumentParser
import Foundation
import TimerSchedulingCluster

/// Runs a job for the dates of a range.
struct Backfill: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run a job for each date of a range, in order.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The name of the job.")
  var name: String

  @Argument(help: "The first date, such as 2026-11-26T00:00:00Z.", transform: isoDate)
  var from: Date

  @Argument(help: "The last date.", transform: isoDate)
  var through: Date

  func validate() throws {
    guard from <= through else { throw ValidationError("The first date comes after the last.") }
  }

  func run() async throws {
    let (_, cluster) = try await database.openCluster()
    try await noted("backfill", of: name) { try await cluster.backfill(name, in: from...through) }
  }
}

/// Reads the date of an argument.
func isoDate(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
