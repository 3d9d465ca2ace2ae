/// Receives the beginnings and ends of waits for a timer, and of work that a timer has caused.
///
/// On real time there is no monitor, as time passes anyway. Virtual time stands still while any consumer or task is
/// busy.
///
/// The methods may be called on any thread, and are never called under a lock.
package protocol ConsumerMonitor: AnyObject, Sendable {
  /// Notes that a listener has joined, which has yet to ask for a tick, or that a task was requested to run an
  /// action. `scheduler` is the number of the scheduler's executor.
  func consumerEntered(_ consumer: TickConsumer, name: String?, of scheduler: UInt64)

  /// Notes that the consumer is a task's sleep.
  func consumerSleeps(_ consumer: TickConsumer)

  /// Notes that the current task is busy as this consumer.
  func consumerIsBusy(_ consumer: TickConsumer)

  /// Notes that the current task is about to wait: for a tick or, without a consumer, for the end of a timer, a run
  /// or an operation.
  func waitBegins(_ wait: WaitID, as consumer: TickConsumer?)

  /// Notes that the task is waiting, unless it was already woken.
  func waitBegan(_ wait: WaitID)

  /// Notes that the wait is over or was unnecessary.
  func waitEnded(_ wait: WaitID)

  /// Notes that the consumer gets no more ticks, or has returned.
  func consumerLeft(_ consumer: TickConsumer)

  /// Notes that there is a tick to take for a timer's listeners.
  func hasFired(timer: UInt64)

  /// Notes that a timer is being changed. Between these calls the clock is read and the timer is filed accordingly, so
  /// the clock isn't moved.
  func changeBegins()
  func changeEnds()

  /// Notes that work begins in a task of the driver's own, which ends soon.
  func workBegan()
  func workEnded()

  /// Notes that a child task is about to begin that runs user code. Returns a number for it.
  func taskEntered() -> UInt64

  /// Notes that the current task is the child task.
  func taskBegan(_ number: UInt64)

  /// Notes that the current task, a child task, is about to end.
  func taskEnded(_ number: UInt64)

  /// Notes that a job was enqueued on an executor that runs actions. The job doesn't run before this has returned.
  func jobEnqueued(_ job: UnownedJob)

  func run(_ job: UnownedJob, on executor: UnownedTaskExecutor)

  /// Makes the current task yield, and counts it as busy meanwhile.
  func yield() async

  /// Notes that a task begins to wait for the runs of a scheduler that has shut down. If that takes too long, `giveUp`
  /// is called, which ends the wait. Returns a number for the wait.
  func shutdownWaitBegins(of scheduler: UInt64, giveUp: @escaping @Sendable () -> Void) -> UInt64

  /// Notes that the wait is over. The waiting task calls this.
  func shutdownWaitEnded(_ number: UInt64)

  /// Waits until all work due at the present moment is done.
  func waitForEndOfMoment() async
}

/// A receiver of a timer's ticks.
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

/// Distinguishes a wait from others that are under way.
package struct WaitID: Hashable, Sendable {
  private let bits: UInt

  package init(bits: UInt) { self.bits = bits }
}
