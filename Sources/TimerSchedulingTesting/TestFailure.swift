// A library that imports Swift Testing can be linked into tests only on Apple platforms.
#if canImport(Testing) && os(Linux)
import Testing
#endif

enum TestFailure {
  /// Fails the current test if Swift Testing is available. Otherwise prints the message.
  static func record(_ message: String) {
    #if canImport(Testing) && os(Linux)
    Issue.record(Comment(rawValue: message))
    #else
    print(message)
    #endif
  }
}
