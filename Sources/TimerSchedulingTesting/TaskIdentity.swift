/// Distinguishes a task from all others, even from those that have ended.
package struct TaskIdentity: Hashable, Comparable, Sendable {
  /// The number that the runtime gives to each task, counting up. Where that is missing, the task's address, which is
  /// unique only while it lives.
  private let number: UInt64

  package init(number: UInt64) { self.number = number }

  /// Creates the identity of a job's task. Jobs of actors, which belong to no task, have the number 0.
  init(of job: UnownedJob) {
    number =
      if let jobNumber = ConcurrencyRuntime.jobNumber {
        jobNumber(job)
      } else {
        UInt64(unsafe unsafeBitCast(job, to: UInt.self))
      }
  }

  /// The current task, or nil in code that runs in no task.
  static var current: TaskIdentity? {
    unsafe withUnsafeCurrentTask { task in
      // A task is its own job: for the runtime both are pointers to the same object.
      unsafe task.map { unsafe TaskIdentity(of: unsafeBitCast($0, to: UnownedJob.self)) }
    }
  }

  /// Whether this is the number 0 of jobs that belong to no task.
  var isNone: Bool { number == 0 }

  package static func < (left: TaskIdentity, right: TaskIdentity) -> Bool { left.number < right.number }
}
