import ArgumentParser
import Foundation
import TimerSchedulingCluster

/// Lists the newest runs of the store.
struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the newest runs, newest first.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The name of the job. All jobs without it.")
  var name: String?

  @Option(help: "The largest number of runs.")
  var limit = 20

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("A limit is zero or more.") }
  }

  func run() async throws {
    let (_, cluster) = try await database.openCluster()
    printRow("token", "job", "date", "attempt", "replica", "began", "ended", "outcome", "failure")
    for run in try await cluster.history(of: name, limit: limit) {
      printRow(
        "\(run.token)", run.job, run.scheduledDate?.text ?? "", "\(run.attempt)", run.replica,
        run.began.text, run.ended?.text ?? "", run.outcome.rawValue, run.failure ?? "")
    }
  }
}
