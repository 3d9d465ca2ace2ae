import ArgumentParser
import TimerScheduling
import TimerSchedulingCluster

/// Adds a tenant, whose job the replicas run from then on.
struct Put: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Add a tenant and put its job, or change them.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The name of the tenant.")
  var name: String

  @Option(help: "The seconds from one date of the job to the next.")
  var every = 5.0

  @Option(help: #"The payload. "2 failures" has the first two attempts of each date fail."#)
  var payload = ""

  @Option(help: "The key of the job, for `run --limit-per-key`.")
  var key: String?

  func run() async throws {
    let schedule = try TimerSchedule(validatingEvery: every, starting: .aligned).missedTicks(.burst)
    let tenant = Tenant(name: name, payload: payload, key: key, schedule: schedule)
    let (database, cluster) = try await database.openCluster()
    try await noted("put", of: name) { try await database.put([tenant], in: cluster) }
  }
}

/// Writes lines before and after an operation, so that the harness can kill the process between them.
func noted(_ operation: String, of name: String, _ perform: () async throws -> Void) async throws {
  Ledger.write("asks \(operation) \(name)")
  try await perform()
  Ledger.write("did \(operation) \(name)")
}
