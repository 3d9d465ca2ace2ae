import ArgumentParser
import Foundation

/// Pictures of results.
struct Draw: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draws a results file, with gnuplot.")

  @Argument(help: "The results file.")
  var results: String

  @Option(help: "The folder for the pictures, which are SVG files.")
  var output = "Documentation/plots"

  @Flag(help: "Keep the tables that gnuplot gets, beside the pictures.")
  var keepTables = false

  func run() throws {
    let folder = URL(filePath: output, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for plot in Plot.all(of: try ResultsFile(path: results).read()) {
      let data = folder.appending(path: "\(plot.name).tsv")
      let image = folder.appending(path: "\(plot.name).svg")
      try Data(plot.table.utf8).write(to: data)
      defer { if !keepTables { try? FileManager.default.removeItem(at: data) } }
      _ = try ChildProcess(URL(filePath: "/usr/bin/env"), ["gnuplot"])
        .output(for: plot.script(data: data, image: image))
      print(image.path)
    }
  }
}
