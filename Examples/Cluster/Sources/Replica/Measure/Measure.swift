import ArgumentParser

/// Measures what replicas ask of the database, and how late runs begin.
struct Measure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure the requests of replicas, how late runs begin, or claims a second.",
    subcommands: [
      MeasureJobs.self, MeasureQueue.self, MeasureKeys.self, MeasureDates.self, MeasureIdle.self,
      MeasureOperators.self,
    ] + comparisons)

  #if PostgreSQL
  private static var comparisons: [any ParsableCommand.Type] { [MeasureClaims.self] }
  #else
  private static var comparisons: [any ParsableCommand.Type] { [] }
  #endif
}
