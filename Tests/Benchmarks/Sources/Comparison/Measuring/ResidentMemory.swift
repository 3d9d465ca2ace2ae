import CLinux
import Foundation
import Glibc

/// The memory that the process has in RAM.
enum ResidentMemory {
  static var bytes: Int {
    get throws {
      let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      guard let pages = statm.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
        throw BenchmarkError("/proc/self/statm has no second number.")
      }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    }
  }

  /// The bytes that are allocated, without those that are free in between and so stay in RAM.
  static var allocatedBytes: Int { mallinfo2().uordblks + mallinfo2().hblkhd }

  /// Makes glibc return free memory to the system.
  static func trim() {
    _ = malloc_trim(0)
  }
}
