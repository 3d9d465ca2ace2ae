import Dispatch
import Synchronization

/// The result of work done elsewhere.
final class Outcome<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func set(_ value: Value) {
    self.value.withLock { $0 = value }
  }

  func get() throws -> Value {
    guard let value = value.withLock(\.self) else { throw BenchmarkError("It was not done.") }
    return value
  }
}

/// Blocks the thread, which isn't one of Swift's, until a task has done its work.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) throws -> Value {
  let outcome = Outcome<Value>()
  let end = DispatchSemaphore(value: 0)
  Task.detached {
    outcome.set(await work())
    end.signal()
  }
  end.wait()
  return try outcome.get()
}
