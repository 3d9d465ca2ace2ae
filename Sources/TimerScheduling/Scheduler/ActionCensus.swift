/// The timers whose actions are running.
struct ActionCensus: ~Copyable, Sendable {
  struct State {
    var running: [UInt64: TimerRecord] = [:]
    /// How many of their actions wait for the others.
    var waitingCount = 0
    var waiters: [WaitingConsumer] = []

    var isQuiet: Bool { running.count == waitingCount }

    mutating func takeWaitersIfQuiet() -> [WaitingConsumer] {
      guard isQuiet else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  /// Guards the running actions and those who wait for them to end.
  private let state = Lock(State())

  func begin(_ record: TimerRecord) {
    state.withLock { $0.running[record.id] = record }
  }

  func end(_ record: TimerRecord) {
    let waiters = state.withLock { state in
      state.running[record.id] = nil
      return state.takeWaitersIfQuiet()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until no action is running, other than those that wait here themselves.
  func waitUntilQuiet(fromAction: Bool) async {
    if fromAction {
      let waiters = state.withLock { state in
        state.waitingCount += 1
        return state.takeWaitersIfQuiet()
      }
      for waiter in waiters { waiter.resume() }
    }
    await WaitingConsumer.suspend { waiter in
      state.withLock { state in
        if state.isQuiet { return false }
        state.waiters.append(waiter)
        return true
      }
    }
    if fromAction { state.withLock { $0.waitingCount -= 1 } }
  }

  func cancelAll() {
    for record in state.withLock({ Array($0.running.values) }) { record.cancelAction() }
  }
}
