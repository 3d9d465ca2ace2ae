public import Foundation

/// A process of its own for tests that take long.
///
/// An exit test of Swift Testing blocks one of the threads that all tests share until its process ends, and
/// one more for each stream that it observes. A machine has as many of these threads as it has cores. Here,
/// no thread is blocked.
public enum OwnProcess {
  private static let variable = "TIMER_OWN_PROCESS"

  /// Whether this process was begun by one of the functions below.
  public static var isThis: Bool { ProcessInfo.processInfo.environment[variable] != nil }

  /// The program of the tests. Nil where it doesn't run them by itself.
  public static let program: String? = {
    #if os(Linux)
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
    #else
    nil
    #endif
  }()

  /// Runs the tests of this program whose names match `filter`. Returns the exit status, which is that of a
  /// failure if no test matches, and what the process has printed. Throws an error where there is no program.
  public static func run(
    _ filter: String, under wrapper: [String] = []
  ) async throws -> (status: Int32, output: String) {
    try await runProgram(["--testing-library", "swift-testing", "--filter", filter], under: wrapper)
  }

  /// Runs a test of XCTest by its name, as `Module.Class/testName`. Returns the exit status, which is that of
  /// a success if there is no such test, and what the process has printed. Throws an error where there is no
  /// program.
  public static func run(xcTest name: String) async throws -> (status: Int32, output: String) {
    // Unless another library is named, the program runs tests of XCTest.
    try await runProgram([name], under: [])
  }

  private static func runProgram(
    _ arguments: [String], under wrapper: [String]
  ) async throws -> (status: Int32, output: String) {
    guard let program else { throw CocoaError(.featureUnsupported) }
    let file = FileManager.default.temporaryDirectory.appending(path: "own-process-\(UUID())")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process(wrapper + [program] + arguments, output: try FileHandle(forWritingTo: file))
    process.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return (status, try String(contentsOf: file, encoding: .utf8))
  }
}

extension Process {
  /// A process that isn't begun yet. `command` has the path of a program and its arguments.
  public convenience init(_ command: [String], output: FileHandle) {
    self.init()
    executableURL = command.first.map { URL(filePath: $0) }
    arguments = Array(command.dropFirst())
    standardOutput = output
    standardError = output
  }
}
