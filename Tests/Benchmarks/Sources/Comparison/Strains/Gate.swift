import Synchronization

/// Makes tasks wait until it is opened.
final class Gate: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  var count: Int { waiting.withLock(\.count) }

  func wait() async {
    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
  }

  /// Resumes the waiting tasks.
  func open() {
    let tasks = waiting.withLock { waiting in
      let tasks = waiting
      waiting = []
      return tasks
    }
    for task in tasks { task.resume() }
  }
}
