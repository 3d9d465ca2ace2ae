import ArgumentParser

/// Measures the cost of claims, and the statements that an idle replica sends.
struct Measure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure claims a second, or the statements of replicas.",
    subcommands: [MeasureClaims.self, MeasureDates.self, MeasureIdle.self])
}
