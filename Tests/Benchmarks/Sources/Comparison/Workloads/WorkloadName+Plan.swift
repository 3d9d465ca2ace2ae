/// The plan of a comparison.
extension WorkloadName {
  /// The peers, this package's first, so that ratios compare with the first row of a table.
  var peers: [PeerName] {
    switch self {
    case .w1:
      [.action, .datedAction, .limitedAction, .ownedAction, .weaklyCapturingAction] + oneShotPeers
    case .w2: [.action, .namedAction, .ownedAction, .weaklyCapturingAction] + oneShotPeers
    case .w3: [.action, .datedAction, .actorAction, .sleepingAction] + oneShotPeers
    case .w3s: [.action] + oneShotPeers
    case .w1s: [.repeatingStream, .taskSleep, .asyncTimerSequence]
    case .w4:
      [
        .action, .consumer, .timerfd, .heap, .dispatchSource, .taskSleep, .asyncTimerSequence, .nioTask,
        .nioCallback, .libuv, .libev,
      ]
    case .w4t: [.action, .consumer, .dispatchSource, .asyncTimerSequence]
    case .w5: [.action, .stream, .dispatchSource]
    case .w6: [.action, .consumer, .dispatchSource, .taskSleep, .asyncTimerSequence, .nioTask, .libuv]
    case .w10:
      [.consumer, .action, .dispatchSource, .sleepingLoop, .asyncTimerSequence, .nioTask, .libuv, .libev]
    case .w7: [.action, .heap, .dispatchSource, .nioTask, .nioCallback, .libuv, .libev]
    case .w8:
      [
        .action, .namedAction, .ownedAction, .observedAction, .repeatingStream, .heap, .dispatchSource,
        .nioTask,
      ]
    case .w9:
      [
        .consumer, .action, .dispatchSource, .sleepingLoop, .asyncTimerSequence, .runLoopTimer, .nioTask,
        .libuv, .libev,
      ]
    }
  }

  private var oneShotPeers: [PeerName] {
    [
      .stream, .consumer, .heap, .dispatchSource, .taskSleep, .asyncTimerSequence, .nioTask, .nioCallback,
      .libuv, .libev,
    ]
  }

  /// The numbers of timers for each workload, or in W8 of threads.
  var counts: [Int] {
    switch self {
    case .w1, .w1s, .w7: [1000, 10_000, 100_000, 1_000_000]
    case .w2: [1_000_000]
    case .w3: [10_000, 100_000, 1_000_000]
    case .w3s: [100_000]
    case .w4: [1, 100, 10_000]
    case .w4t: [10_000]
    case .w5: [0, 10_000]
    case .w6, .w10: [1]
    case .w8: [1, 2, 4, 8]
    case .w9: [200_000]
    }
  }

  /// The smallest numbers that show that a workload works.
  var quickCounts: [Int] { self == .w5 ? counts : counts.prefix(1).map { min($0, 1000) } }

  /// Whether one run is enough, because another gives the same or would take too long.
  func isRunOnce(with count: Int) -> Bool {
    switch self {
    case .w2, .w5: true
    case .w4: count < 10_000
    case .w1, .w1s, .w3, .w3s, .w4t, .w6, .w7, .w8, .w9, .w10: false
    }
  }
}
