import Foundation
import TestSupport
import Testing
import TimerScheduling

/// A machine that has been up for decades, as a time namespace of Linux makes a process believe.
@Suite(.tags(.realClock), .limited, .guarantee("G116"))
struct UptimeTests {
  private static let suites = [
    "\(PunctualityTests.self)", "\(StallTests.self)", "\(IdleTests.self)",
    "\(DispatchWakeupSourceTests.self)",
  ]

  /// Runs other suites of this program once more, where the monotonic clock shows 31 years and more.
  @Test(
    .enabled(if: UptimeNamespace.wrapper != nil, "Needs `unshare -T`, which isn't there or isn't permitted."),
    arguments: suites)
  func `After decades of uptime other suites still pass`(suite: String) async throws {
    let wrapper = try #require(UptimeNamespace.wrapper)
    let run = try await OwnProcess.run(suite, under: wrapper)
    #expect(run.status == EXIT_SUCCESS, "\(run.output)")
  }
}

/// A time namespace in which decades have passed.
private enum UptimeNamespace {
  private static let seconds = 1_000_000_000

  /// The command in front of one that is to run there. Nil where none is permitted.
  static let wrapper = permittedWrapper()

  private static func permittedWrapper() -> [String]? {
    let options = ["--time", "--monotonic", "\(seconds)", "--boottime", "\(2 * seconds)"]
    // A user who isn't root may be root in a user namespace.
    return [[], ["--map-root-user"]].map { ["/usr/bin/env", "unshare"] + $0 + options }.first { wrapper in
      let output = Pipe()
      let process = Process(wrapper + ["cat", "/proc/uptime"], output: output.fileHandleForWriting)
      guard (try? process.run()) != nil else { return false }
      // The child alone holds the writing end, so that reading ends with it.
      try? output.fileHandleForWriting.close()
      let said = try? output.fileHandleForReading.readToEnd()
      process.waitUntilExit()
      let uptime = said.flatMap { String(data: $0, encoding: .utf8) }?.split(separator: " ").first
      return uptime.flatMap { Double($0) }.map { $0 >= Double(2 * seconds) } ?? false
    }
  }
}
