import Foundation

/// The time and the machine at the start of a comparison.
struct Circumstances: Codable {
  var date = Date().formatted(.iso8601)
  var commit = output(of: "git", "describe", "--always", "--dirty", "--exclude=*")
  var toolchain = output(of: "swift", "--version").split(separator: "\n").first.map(String.init) ?? ""
  var system = output(of: "uname", "-sm")
  var cores = ProcessInfo.processInfo.activeProcessorCount

  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// As a page says it.
  var summary: String {
    let swift = toolchain.firstMatch(of: /version ([\d.]+)/).map { "Swift \($0.1)" } ?? toolchain
    return "\(date.prefix(10)), commit \(commit), \(swift), \(system), \(cores) processors"
  }

  static func isLine(_ line: some StringProtocol) -> Bool { line.contains("\"toolchain\"") }

  /// The output of a command, or nothing if it fails.
  private static func output(of command: String...) -> String {
    let text = try? ChildProcess(URL(filePath: "/usr/bin/env"), command).output()
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }
}
