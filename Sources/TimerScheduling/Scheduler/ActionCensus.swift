/// The actions that are running.
struct ActionCensus: ~Copyable, Sendable {
  struct Waiter {
    /// The run that waits itself, if it is one.
    let run: ActionRun?
    let consumer: WaitingConsumer
  }

  struct State {
    var running: [ActionRun: TimerRecord] = [:]
    var waiters: [Waiter] = []

    /// Takes out those whose wait is over: nothing is running or, for a run, nothing but runs that wait.
    mutating func takeWaiters() -> [Waiter] {
      guard !waiters.isEmpty else { return [] }
      let waiting = Set(waiters.compactMap(\.run))
      let isQuiet = running.isEmpty
      let isQuietForRuns = running.keys.allSatisfy { waiting.contains($0) }
      let over = waiters.filter { $0.run == nil ? isQuiet : isQuietForRuns }
      waiters.removeAll { $0.run == nil ? isQuiet : isQuietForRuns }
      return over
    }
  }

  private let monitor: (any ConsumerMonitor)?
  /// Guards the running actions and those who wait for them to end.
  private let state = Lock(State())

  init(noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
  }

  func begin(_ run: ActionRun, of record: TimerRecord) {
    state.withLock { $0.running[run] = record }
  }

  func end(_ run: ActionRun) {
    let waiters = state.withLock { state in
      state.running[run] = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.consumer.resume(noting: monitor) }
  }

  /// Waits until no action is running. A run doesn't wait for itself, nor for others that wait here.
  func waitUntilQuiet() async {
    await WaitingConsumer.suspend(noting: monitor) { consumer in
      let over = state.withLock { state in
        // A task that has outlived its run is like any other.
        let run = ActionRun.current.flatMap { state.running[$0] == nil ? nil : $0 }
        state.waiters.append(Waiter(run: run, consumer: consumer))
        return state.takeWaiters()
      }
      for waiter in over { waiter.consumer.resume(noting: monitor) }
      return true
    }
  }

  func cancelAll() {
    for record in state.withLock({ Array($0.running.values) }) { record.cancelAction() }
  }
}
