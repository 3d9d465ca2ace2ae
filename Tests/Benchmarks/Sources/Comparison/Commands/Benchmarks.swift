import ArgumentParser

@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks", abstract: "Compares TimerScheduling with other timers.",
    subcommands: [Compare.self, Tabulate.self, Draw.self, Measure.self, MeasureStrain.self],
    defaultSubcommand: Compare.self)
}
