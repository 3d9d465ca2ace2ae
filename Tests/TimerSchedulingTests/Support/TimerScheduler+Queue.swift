import Dispatch
import TimerScheduling

extension TimerScheduler {
  /// Waits for all that is on the scheduler's queue by now.
  ///
  /// To ask the actor for something isn't enough: a task that has just called it goes on without leaving the queue.
  nonisolated func waitForQueue() async {
    await withCheckedContinuation { continuation in
      executor.queue.async { continuation.resume() }
    }
  }
}
