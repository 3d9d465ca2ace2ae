import Foundation

/// Threads that compute without a pause, so that the threads of a test are interrupted at other points in each run.
package final class BusyLoops: Sendable {
  private let isOver = Box<Bool>()

  package init(_ count: Int = 3) {
    for _ in 0..<count {
      Thread.detachNewThread { [isOver] in
        while isOver.value == nil { _ = (0..<1000).reduce(0, &+) }
      }
    }
  }

  /// Calls `body` with three loops beside it.
  package static func run<R>(_ body: () async throws -> R) async rethrows -> R {
    let loops = BusyLoops()
    defer { loops.isOver.value = true }
    return try await body()
  }
}
