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
