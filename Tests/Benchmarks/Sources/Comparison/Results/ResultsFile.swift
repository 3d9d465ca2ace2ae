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

  func read() throws -> [Measurement] {
    try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n")
      .filter { !Circumstances.isLine($0) }
      .map { try Measurement(line: $0) }
  }
}
