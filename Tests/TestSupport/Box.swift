import TimerScheduling

/// Holds a value that a closure refers to before the test has it.
package final class Box<Value: Sendable>: Sendable {
  /// Guards the value.
  private let content = Lock<Value?>(nil)

  package init() {}

  package var value: Value? {
    get { content.withLock { $0 } }
    set {
      // The old value is released outside the lock.
      _ = content.withLock { content -> Value? in
        let old = content
        content = newValue
        return old
      }
    }
  }
}
