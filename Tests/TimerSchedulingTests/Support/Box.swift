import TimerScheduling

/// Holds a value that a closure refers to before it is there.
final class Box<Value: Sendable>: Sendable {
  private let content = Lock<Value?>(nil)

  var value: Value? {
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
