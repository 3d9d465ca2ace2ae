import ArgumentParser

/// The tables of earlier results.
struct Tabulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "table", abstract: "Prints the tables of a results file.")

  @Argument(help: "The results file.")
  var results: String

  func run() throws {
    print(Report(try ResultsFile(path: results).read()).text)
  }
}
