/// Tells a task from all others, also from those that have ended.
package struct TaskIdentity: Hashable, Comparable, Sendable {
  /// The number that the runtime gives to each task, counting up. Or else its address, as long as it lives.
  private let number: UInt64

  package init(number: UInt64) { self.number = number }

  /// The task of a job. Jobs of actors, which belong to no task, have the number 0.
  init(of job: UnownedJob) {
    number =
      if let jobNumber = ConcurrencyRuntime.jobNumber {
        jobNumber(job)
      } else {
        UInt64(unsafe unsafeBitCast(job, to: UInt.self))
      }
  }

  /// The current task, or nil in code that runs in none.
  static var current: TaskIdentity? {
    unsafe withUnsafeCurrentTask { task in
      // A task is its own job: for the runtime both are pointers to the same object.
      unsafe task.map { unsafe TaskIdentity(of: unsafeBitCast($0, to: UnownedJob.self)) }
    }
  }

  /// Whether this is the number of jobs that belong to no task.
  var isNone: Bool { number == 0 }

  package static func < (left: TaskIdentity, right: TaskIdentity) -> Bool { left.number < right.number }
}
