import Dispatch
import TestSupport

/// A main actor whose thread is held for as long as a test wants.
struct BusyMainThread: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let work: Task<Void, Never>

  /// Returns when the thread is held.
  init() async {
    let begun = Journal<Bool>()
    work = Task { @MainActor [done] in
      begun.note(true)
      done.wait()
    }
    _ = await begun.next()
  }

  /// Lets go of the thread.
  func letGo() { done.signal() }

  /// Waits until the thread has been let go.
  func waitUntilFree() async { await work.value }
}
