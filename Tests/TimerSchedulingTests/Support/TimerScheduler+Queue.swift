import Dispatch
import TimerScheduling

extension TimerScheduler {
  /// Waits for all work that is on the scheduler's queue by now.
  ///
  /// A call of the actor isn't enough: a task that has just called it goes on without leaving the queue.
  nonisolated func waitForQueue() async {
    await withCheckedContinuation { continuation in
      executor.queue.async { continuation.resume() }
    }
  }
}
