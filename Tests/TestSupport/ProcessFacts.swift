import Foundation

/// Facts that Linux tells about the running process.
package enum ProcessFacts {
  /// The resident memory in bytes.
  package static var residentBytes: Int {
    let pages = read("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
  }

  /// The number of times that each thread but the calling one has gone to sleep and so was, or will be,
  /// woken.
  package static var voluntarySwitchesOfOtherThreads: [String: Int] {
    let own = URL(filePath: "/proc/thread-self").resolvingSymlinksInPath().lastPathComponent
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    var switches: [String: Int] = [:]
    for thread in threads where thread != own {
      switches[thread] = voluntarySwitches(ofThreadAt: "/proc/self/task/\(thread)")
    }
    return switches
  }

  /// The number of times that the calling thread has gone to sleep.
  package static var voluntarySwitchesOfCallingThread: Int {
    voluntarySwitches(ofThreadAt: "/proc/thread-self") ?? 0
  }

  private static func voluntarySwitches(ofThreadAt path: String) -> Int? {
    let line = read("\(path)/status").split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line.flatMap { Int($0.split(separator: "\t").last ?? "") }
  }

  /// Whether the process runs under the thread sanitizer, which has a thread of its own.
  package static var isUnderThreadSanitizer: Bool {
    unsafe dlsym(nil, "__tsan_init") != nil
  }

  /// Whether the process runs under the address or the thread sanitizer, which both keep freed memory.
  package static var isUnderSanitizer: Bool {
    unsafe isUnderThreadSanitizer || dlsym(nil, "__asan_init") != nil
  }

  private static func read(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
