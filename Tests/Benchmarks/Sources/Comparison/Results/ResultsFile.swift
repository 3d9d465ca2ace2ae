import Foundation

/// A file with a line for each measurement, and one for each start of a comparison.
struct ResultsFile {
  var path: String

  func append(_ lines: [String]) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path))
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// The circumstances of the first comparison in the file.
  func circumstances() throws -> Circumstances {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    guard let line = lines.first(where: Circumstances.isLine) else {
      throw BenchmarkError("\(path) doesn't say of which machine its results are.")
    }
    return try JSONDecoder().decode(Circumstances.self, from: Data(line.utf8))
  }

  func read() throws -> [Measurement] {
    try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n")
      .filter { !Circumstances.isLine($0) }
      .map { try Measurement(line: $0) }
  }
}
