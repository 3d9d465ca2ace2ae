import ArgumentParser

/// Measures what claims take, and what a replica with nothing to do asks for.
struct Measure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure claims a second, or the statements of an idle replica.",
    subcommands: [MeasureClaims.self, MeasureIdle.self])
}
