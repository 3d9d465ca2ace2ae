import Foundation

/// A program that is run once.
struct ChildProcess {
  private let process = Process()

  init(_ executable: URL, _ arguments: [String]) {
    process.executableURL = executable
    process.arguments = arguments
  }

  /// Runs this program again with other arguments, and returns its output.
  static func again(_ arguments: [String]) throws -> String {
    guard let executable = Bundle.main.executableURL else {
      throw BenchmarkError("The path of this program isn't known.")
    }
    return try ChildProcess(executable, arguments).output()
  }

  /// Runs it, with `input` if there is any, and returns its output.
  func output(for input: String? = nil) throws -> String {
    let output = Pipe()
    process.standardOutput = output
    let inputPipe = input.map { _ in Pipe() }
    if let inputPipe { process.standardInput = inputPipe }
    try process.run()
    if let input, let inputPipe {
      try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try inputPipe.fileHandleForWriting.close()
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw BenchmarkError("It ended with \(process.terminationStatus).")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
