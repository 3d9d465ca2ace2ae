import Dispatch
import TimerScheduling

/// An actor that a test can hold, as a main thread is held that is busy.
///
/// What is sent to it while it is held has been queued, and hasn't run.
@globalActor
actor Stage {
  static let shared = Stage()

  private nonisolated let executor = QueueExecutor(label: "Stage")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  static func hold() { shared.executor.queue.suspend() }
  static func letGo() { shared.executor.queue.resume() }
}
