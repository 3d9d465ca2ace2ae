/// Tells a task from others that are alive.
struct TaskIdentity: Hashable, Sendable {
  private let bits: UInt

  /// The current task, or nil in code that runs in none.
  static var current: TaskIdentity? {
    unsafe withUnsafeCurrentTask { task in
      unsafe task.map { unsafe TaskIdentity(bits: UInt(bitPattern: $0.hashValue)) }
    }
  }
}
