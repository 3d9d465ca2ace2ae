import ArgumentParser

@main
struct ReplicaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Replica",
    abstract: "One of several replicas of a service, of which one does each job when it is due.",
    subcommands: [
      Run.self, Put.self, Remove.self, Backfill.self, Jobs.self, History.self, Explain.self, Measure.self,
    ] + comparisons,
    defaultSubcommand: Run.self)

  #if PostgreSQL
  private static var comparisons: [any ParsableCommand.Type] { [Lead.self] }
  #else
  private static var comparisons: [any ParsableCommand.Type] { [] }
  #endif
}
