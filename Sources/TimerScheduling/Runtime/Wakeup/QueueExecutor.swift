package import Dispatch

/// Runs an actor's jobs on a serial dispatch queue, the one on which its wakeup sources fire. So a source's
/// handler is already isolated to the actor.
///
/// The queue has Dispatch's default target, with threads of its own: on a global queue, eight busy tasks held
/// up a job for 2.9 s, here for 2 to 4 ms. A higher quality of service made ticks later.
package final class QueueExecutor: SerialExecutor {
  package let queue: DispatchQueue
  /// The position in the order in which executors were made for a virtual clock. Zero for any other clock.
  package let number: UInt64
  /// Performs work that is enqueued, in the order in which it comes, by ``sync(_:)``. Nil if the queue does.
  private let host: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?

  package init(
    label: String, number: UInt64 = 0,
    host: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? = nil
  ) {
    queue = DispatchQueue(label: label)
    self.number = number
    self.host = host
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure holds the executor, as the job's end may release the last reference to the actor.
    async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

  /// Runs `work` on the queue after earlier work, and waits for it. Must not be called on the queue.
  package func sync(_ work: () -> Void) { queue.sync(execute: work) }

  package func async(_ work: @escaping @Sendable () -> Void) {
    guard let host else { return queue.async(execute: work) }
    host { [self] in sync(work) }
  }
}
