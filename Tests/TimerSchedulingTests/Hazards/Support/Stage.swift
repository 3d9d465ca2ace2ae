import Dispatch
import TimerScheduling

/// An actor that a test can hold, as a busy main thread is held.
///
/// Jobs that are sent to it while it is held are queued and don't run.
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
