import Dispatch
import TimerScheduling

/// Operations with a time limit that return at once, on a scheduler and in a task group with `Task.sleep`.
struct TimeLimits {
  private struct LimitReached: Error {}

  private static let count = 200_000

  func run() -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    // Once before, so that the memory of threads and queues is already allocated.
    _ = cost { try await withTimeout(.seconds(5), on: scheduler) { 1 } }
    let ours = cost { try await withTimeout(.seconds(5), on: scheduler) { 1 } }
    let theirs = cost { try await Self.inGroup(.seconds(5)) { 1 } }
    return [
      Strain.Finding(
        title: "withTimeout of an operation that returns at once", value: ours, unit: "µs",
        aim: "at most half of a group's"),
      Strain.Finding(
        title: "a task group with Task.sleep around the same operation", value: theirs, unit: "µs"),
    ]
  }

  /// The time limit as it is written without a library.
  private static func inGroup(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Int
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw LimitReached()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? 0
    }
  }

  private func cost(_ call: @escaping @Sendable () async throws -> Int) -> Double {
    let before = ProcessUsage.whenQuiet()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      for _ in 0..<Self.count { _ = try await call() }
      done.signal()
    }
    done.wait()
    return (ProcessUsage.whenQuiet().cpu - before.cpu).microseconds / Double(Self.count)
  }
}
