import Dispatch
import Foundation
import Synchronization

/// Blocks all of Swift's threads. For each priority there are as many as processors.
final class Blockade: Sendable {
  private let latch = DispatchSemaphore(value: 0)
  private let breached = Atomic<Bool>(false)

  init() {
    for priority in [TaskPriority.background, .utility, .medium, .high] {
      for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
        Task.detached(priority: priority) { [latch] in
          latch.wait()
          // Releases the next thread.
          latch.signal()
        }
      }
      // This task has its turn after the others.
      Task.detached(priority: priority) { [self] in breached.store(true, ordering: .relaxed) }
    }
  }

  /// Whether no task that came later has got a thread.
  var isComplete: Bool { !breached.load(ordering: .relaxed) }

  func lift() { latch.signal() }
}

/// Runs the tasks that prefer it on a queue of its own, independent of Swift's threads.
///
/// A task that waited is resumed on the executor it prefers, and only then gets back to its actor. One
/// without a preference is resumed on Swift's threads, even if its actor is the main actor.
final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "OwnThread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
