import TimerScheduling

// A library that imports Swift Testing can be linked into tests only on Apple platforms.
#if canImport(Testing) && os(Linux)
import Testing
#endif

/// The place in a test where a call was made.
struct TestLocation: Sendable {
  let fileID: String
  let filePath: String
  let line: Int
  let column: Int

  /// Fails the current test at this place if it is one of Swift Testing. Without such a test, a line is
  /// printed, too.
  func fail(_ message: String) {
    #if canImport(Testing) && os(Linux)
    Issue.record(
      Comment(rawValue: message),
      sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    if Test.current != nil { return }
    #endif
    StandardError.print("\(fileID):\(line): \(message)")
  }
}

/// An issue of Swift Testing that was recorded by an order of a search, which isn't reported.
struct TestIssue: Error, CustomStringConvertible {
  let description: String

  /// Calls `body`, and returns the first failure that it records as an issue of Swift Testing, by itself or
  /// in tasks that have inherited its task-local values.
  static func first(in body: @Sendable () async -> Void) async -> TestIssue? {
    #if canImport(Testing) && os(Linux)
    guard let test = Test.current else {
      await body()
      return nil
    }
    let first = WorldLock(TestIssue?.none)
    let trait = IssueHandlingTrait.filterIssues { issue in
      if !issue.isFailure { return true }
      let place = issue.sourceLocation.map { "\($0.fileID):\($0.line): " } ?? ""
      first.withLock { $0 = $0 ?? TestIssue(description: "\(place)\(issue)") }
      return false
    }
    // It throws only what `body` throws.
    try? await trait.provideScope(for: test, testCase: Test.Case.current) { await body() }
    return first.withLock { $0 }
    #else
    await body()
    return nil
    #endif
  }

  /// Whether the issue says more than the error that was thrown with it.
  func replaces(_ error: any Error) -> Bool {
    #if canImport(Testing) && os(Linux)
    error is ExpectationFailedError
    #else
    false
    #endif
  }
}
