import ArgumentParser
import Foundation
import TimerSchedulingCluster

/// Lists the jobs of the store.
struct Jobs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the jobs, with tabs between the columns.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "A part of the names.")
  var part = ""

  func run() async throws {
    let (_, cluster) = try await database.openCluster()
    printRow("name", "schedule", "payload", "next", "run by", "done", "failed", "abandoned", "missed")
    var page = try await cluster.jobs(matching: part)
    while let last = page.last {
      for job in page {
        printRow(
          job.name, job.schedule, job.payload, job.nextDate?.text ?? "", job.run?.replica ?? "",
          "\(job.doneCount)", "\(job.failedCount)", "\(job.abandonedCount)", "\(job.missedCount)")
      }
      page = try await cluster.jobs(matching: part, after: last.name)
    }
  }
}

/// Prints columns with tabs between them.
func printRow(_ columns: String...) { print(columns.joined(separator: "\t")) }
