import NIOCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The number of files that the process may have open, of which each connection is one.
package struct FileLimit: Sendable {
  /// The number of files that the process needs besides connections. NIO has three for each thread.
  package static let reserve = 64 + 3 * System.coreCount

  package let count: Int

  package init(count: Int) {
    self.count = count
  }

  /// Raises the process's limit as far as it may and as connections need it. Returns the limit that holds
  /// then.
  package static func raised(for connectionCount: Int) -> FileLimit {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard unsafe getrlimit(resource, &limit) == 0 else { return FileLimit(count: .max) }
    let needed = rlim_t(connectionCount + reserve)
    if limit.rlim_cur < needed {
      var raised = limit
      raised.rlim_cur = min(needed, limit.rlim_max)
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return FileLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// The number of connections for which there are files, at most as many as are wanted.
  package func connectionCount(of wanted: Int) -> Int { max(min(wanted, count - Self.reserve), 1) }
}
