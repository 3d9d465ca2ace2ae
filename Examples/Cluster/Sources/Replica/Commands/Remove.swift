import ArgumentParser

/// Removes a tenant.
struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Remove a tenant and its job.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The name of the tenant.")
  var name: String

  func run() async throws {
    let (database, cluster) = try await database.openCluster()
    try await noted("remove", of: name) { try await database.remove(tenant: name, in: cluster) }
  }
}
