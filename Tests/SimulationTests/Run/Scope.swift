import TestSupport
import TimerScheduling

/// A pausing scope that lasts until it is ended.
final class Scope {
  private let task: Task<Void, Never>
  private let end: Latch

  static func begin(of timer: ScheduledTimer) async -> Scope {
    let (hasBegun, end) = (Latch(), Latch())
    let task = Task {
      await timer.withPaused {
        hasBegun.open()
        await end.wait()
      }
    }
    await hasBegun.wait()
    return Scope(task, end)
  }

  private init(_ task: Task<Void, Never>, _ end: Latch) {
    self.task = task
    self.end = end
  }

  func endAndWait() async {
    end.open()
    await task.value
  }
}
