import ArgumentParser
import Foundation
import TimerSchedulingCluster

/// Says what became of dates of a job.
struct Explain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Say why a job did or didn't run for its dates.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The name of the job.")
  var name: String

  @Argument(help: "The dates, such as 2026-11-26T00:00:00Z.", transform: isoDate)
  var dates: [Date]

  func run() async throws {
    let (_, cluster) = try await database.openCluster()
    for date in dates { print(try await cluster.explain(name, at: date)) }
  }
}
