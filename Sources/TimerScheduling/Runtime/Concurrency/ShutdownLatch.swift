import Synchronization

/// Whether a scheduler has shut down, and who waits for that.
struct ShutdownLatch: ~Copyable, Sendable {
  private let monitor: (any ConsumerMonitor)?
  private let flag = Atomic<Bool>(false)
  /// Guards those who wait, which is nil once nobody has to.
  private let waiters = Lock<[WaitingConsumer]?>([])

  init(noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
  }

  var isOpen: Bool { flag.load(ordering: .acquiring) }

  /// Returns false if it was open.
  func open() -> Bool {
    guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    for waiter in waiters.withLock({ $0.take() }) ?? [] { waiter.resume(noting: monitor) }
    return true
  }

  /// Waits until it is open, whether or not the task is cancelled.
  func wait() async {
    await WaitingConsumer.suspend(noting: monitor) { consumer in
      waiters.withLock { waiters in
        waiters?.append(consumer)
        return waiters != nil
      }
    }
  }
}
