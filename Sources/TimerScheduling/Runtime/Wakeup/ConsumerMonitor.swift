/// Is told who waits for a timer, and who is busy with what a timer has brought.
///
/// Real time goes on for everybody and has no use for it. Virtual time stands still while anybody is busy.
///
/// Each of the methods may be called on any thread, and none is called under a lock.
package protocol ConsumerMonitor: AnyObject, Sendable {
  /// A listener has joined, which is yet to ask for a tick, or a task was called for to run an action.
  func consumerEntered(_ consumer: TickConsumer, name: String?)

  /// The current task is busy as this consumer.
  func consumerIsBusy(_ consumer: TickConsumer)

  /// The current task is about to wait: for a tick or, without a consumer, for the end of something.
  func waitBegins(_ wait: WaitID, as consumer: TickConsumer?)

  /// The task waits, unless it was woken already.
  func waitBegan(_ wait: WaitID)

  /// The wait is over, or turned out not to be necessary.
  func waitEnded(_ wait: WaitID)

  /// The consumer gets no more ticks, or has returned.
  func consumerLeft(_ consumer: TickConsumer)

  /// There is something to take for those who listen to a timer.
  func hasFired(timer: UInt64)

  /// Something is done in a task of the driver's own, which ends soon.
  func workBegan()
  func workEnded()

  /// A child task is about to begin that runs the user's code. Returns a number for it.
  func taskEntered() -> UInt64

  /// The current task is the child task.
  func taskBegan(_ number: UInt64)

  /// The child task, which is the current one, is about to end.
  func taskEnded(_ number: UInt64)

  /// A job was enqueued on an executor that runs actions. It doesn't run before this has returned.
  func jobEnqueued(_ job: UnownedJob)

  /// Runs a job that was enqueued.
  func run(_ job: UnownedJob, on executor: UnownedTaskExecutor)

  /// Has the current task yield, and takes it to be busy meanwhile.
  func yield() async

  /// Waits until all is done that is due at the present moment.
  func waitForEndOfMoment() async
}

/// Somebody whom a timer gives its ticks.
package enum TickConsumer: Hashable, Sendable {
  case listener(timer: UInt64, number: UInt64)
  /// One run of an action.
  case run(timer: UInt64, number: UInt64)

  package var timer: UInt64 {
    switch self {
    case .listener(let timer, _), .run(let timer, _): timer
    }
  }
}

/// Tells a wait from others that are under way.
package struct WaitID: Hashable, Sendable {
  private let bits: UInt

  package init(bits: UInt) {
    self.bits = bits
  }
}
