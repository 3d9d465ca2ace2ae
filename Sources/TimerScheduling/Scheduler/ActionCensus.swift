/// The actions that are running.
struct ActionCensus: ~Copyable, Sendable {
  struct Waiter {
    /// The place of the run that waits itself, if it is one that hasn't ended.
    var place: Place?
    let consumer: WaitingConsumer
  }

  /// Where a run has its place, until it has ended.
  typealias Place = Int

  struct State {
    /// By place; nil where it is free.
    private var running: [(run: ActionRun, record: TimerRecord)?] = []
    private var free: [Place] = []
    var waiters: [Waiter] = []

    var records: [TimerRecord] { running.compactMap { $0?.record } }
    var runningCount: Int { running.count - free.count }
    private var isQuiet: Bool { runningCount == 0 }

    /// Where a run has its place, unless it has ended.
    func place(of run: ActionRun) -> Place? { running.firstIndex { $0?.run == run } }

    mutating func enter(_ run: ActionRun, of record: TimerRecord) -> Place {
      if let place = free.popLast() {
        running[place] = (run, record)
        return place
      }
      running.append((run, record))
      return running.count - 1
    }

    mutating func leave(_ place: Place) {
      running[place] = nil
      free.append(place)
      // A task that has outlived its run waits like any other.
      for index in waiters.indices where waiters[index].place == place { waiters[index].place = nil }
      // Gives memory back once many runs have ended.
      if isQuiet, running.count > 4096 { (running, free) = ([], []) }
    }

    /// Takes out those whose wait is over: nothing is running or, for a run, nothing but runs that wait.
    mutating func takeWaiters() -> [Waiter] {
      guard !waiters.isEmpty else { return [] }
      let isQuiet = isQuiet
      let isQuietForRuns = Set(waiters.compactMap(\.place)).count == runningCount
      let over = waiters.filter { $0.place == nil ? isQuiet : isQuietForRuns }
      waiters.removeAll { $0.place == nil ? isQuiet : isQuietForRuns }
      return over
    }
  }

  private let monitor: (any ConsumerMonitor)?
  /// Guards the running actions and those who wait for them to end.
  private let state = Lock(State())

  init(noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
  }

  func begin(_ run: ActionRun, of record: TimerRecord) -> Place {
    state.withLock { $0.enter(run, of: record) }
  }

  func end(at place: Place) {
    let waiters = state.withLock { state in
      state.leave(place)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.consumer.resume(noting: monitor) }
  }

  /// Waits until no action is running. A run doesn't wait for itself, nor for others that wait here.
  func waitUntilQuiet() async {
    await WaitingConsumer.suspend(noting: monitor) { consumer in
      let over = state.withLock { state in
        let place = ActionRun.current.flatMap { state.place(of: $0) }
        state.waiters.append(Waiter(place: place, consumer: consumer))
        return state.takeWaiters()
      }
      for waiter in over { waiter.consumer.resume(noting: monitor) }
      return true
    }
  }

  var runningCount: Int { state.withLock(\.runningCount) }

  func cancelAll() {
    for record in state.withLock(\.records) { record.cancelAction() }
  }
}
