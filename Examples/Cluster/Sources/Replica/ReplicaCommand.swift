import ArgumentParser

@main
struct ReplicaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Replica",
    abstract: "One of several replicas of a service, of which one does each job when it is due.",
    subcommands: [Run.self, Lead.self, Measure.self],
    defaultSubcommand: Run.self)
}
