import ArgumentParser
import Foundation

/// The tables of earlier results.
struct Tabulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "table", abstract: "Prints the tables of a results file, or writes them into pages.")

  @Argument(help: "The results file.")
  var results: String

  @Argument(help: "Pages whose tables and figures are written anew, where their comments say so.")
  var pages: [String] = []

  func run() throws {
    let results = ResultsFile(path: results)
    if pages.isEmpty { print(Report(try results.read()).text) }
    for path in pages {
      var page = Page(text: try String(contentsOfFile: path, encoding: .utf8))
      try page.fill(from: results)
      try Data(page.text.utf8).write(to: URL(filePath: path))
    }
  }
}
