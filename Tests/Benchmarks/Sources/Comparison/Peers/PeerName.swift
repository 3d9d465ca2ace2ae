import ArgumentParser

/// The peers, as they are named in options and results.
enum PeerName: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
  // This package.
  case action
  case stream
  case repeatingStream
  case consumer

  case dispatchSource
  case taskSleep
  case asyncTimerSequence
  case nioTask
  case nioCallback
  case libuv
  case libev
  case heap
  case timerfd

  // This package's actions in other ways, and peers of W9. Last, so that the others keep their colors.
  case datedAction
  case limitedAction
  case actorAction
  case sleepingAction
  case ownedAction
  case weaklyCapturingAction
  case namedAction
  case observedAction
  case sleepingLoop
  case runLoopTimer

  /// Runs a workload, compiled for the type of the peer.
  func run(_ workload: some OneShotWorkload) throws -> Findings {
    switch self {
    case .action: try workload.run(ActionTimers.self)
    case .datedAction: try workload.run(DatedActions.self)
    case .limitedAction: try workload.run(LimitedActions.self)
    case .actorAction: try workload.run(ActorActions.self)
    case .sleepingAction: try workload.run(SleepingActions.self)
    case .ownedAction: try workload.run(OwnedActions.self)
    case .weaklyCapturingAction: try workload.run(WeaklyCapturingActions.self)
    case .namedAction: try workload.run(NamedActions.self)
    case .observedAction: try workload.run(ObservedActions.self)
    case .stream: try workload.run(Streams.self)
    case .repeatingStream: try workload.run(RepeatingStreams.self)
    case .consumer: try workload.run(ConsumingTasks.self)
    case .dispatchSource: try workload.run(DispatchSources.self)
    case .taskSleep: try workload.run(SleepingTasks.self)
    case .asyncTimerSequence: try workload.run(TimerSequences.self)
    case .nioTask: try workload.run(EventLoopTasks.self)
    case .nioCallback: try workload.run(EventLoopCallbacks.self)
    case .heap: try workload.run(HeapTimers.self)
    #if canImport(CLibuv)
    case .libuv: try workload.run(LibuvTimers.self)
    #else
    case .libuv: throw BenchmarkError("libuv isn't installed.")
    #endif
    #if canImport(CLibev)
    case .libev: try workload.run(LibevTimers.self)
    #else
    case .libev: throw BenchmarkError("libev isn't installed.")
    #endif
    case .timerfd, .sleepingLoop, .runLoopTimer: throw BenchmarkError("\(self) has no timers that fire once.")
    }
  }

  /// A new peer with timers that repeat.
  func makeRepeatingPeer() throws -> any RepeatingPeer {
    let fired = FireCounter()
    return switch self {
    case .action: ActionTimers(fired: fired)
    case .consumer: ConsumingTasks(fired: fired)
    case .dispatchSource: DispatchSources(fired: fired)
    case .taskSleep: SleepingTasks(fired: fired)
    case .sleepingLoop: SleepingLoops(fired: fired)
    case .runLoopTimer: RunLoopTimers(fired: fired)
    case .asyncTimerSequence: TimerSequences(fired: fired)
    case .nioTask: EventLoopTasks(fired: fired)
    case .nioCallback: EventLoopCallbacks(fired: fired)
    case .heap: HeapTimers(fired: fired)
    case .timerfd: try TimerfdLoop(fired: fired)
    #if canImport(CLibuv)
    case .libuv: try LibuvTimers(fired: fired)
    #else
    case .libuv: throw BenchmarkError("libuv isn't installed.")
    #endif
    #if canImport(CLibev)
    case .libev: try LibevTimers(fired: fired)
    #else
    case .libev: throw BenchmarkError("libev isn't installed.")
    #endif
    case .stream, .repeatingStream: throw BenchmarkError("No task takes the ticks of \(self).")
    case .datedAction, .limitedAction, .actorAction, .sleepingAction, .ownedAction, .weaklyCapturingAction,
      .namedAction, .observedAction:
      throw BenchmarkError("\(self) has no timers that repeat.")
    }
  }

  var isInstalled: Bool {
    switch self {
    #if !canImport(CLibuv)
    case .libuv: false
    #endif
    #if !canImport(CLibev)
    case .libev: false
    #endif
    default: true
    }
  }

  var title: String {
    switch self {
    case .action: "this package: action"
    case .datedAction: "this package: action, for a date"
    case .limitedAction: "this package: action, repeating with a limit"
    case .actorAction: "this package: action that calls an actor"
    case .sleepingAction: "this package: action that sleeps 1 ms"
    case .ownedAction: "this package: action with an owner"
    case .weaklyCapturingAction: "this package: action that captures weakly"
    case .namedAction: "this package: action with a name"
    case .observedAction: "this package: action that an observer is told of"
    case .stream: "this package: stream, not iterated"
    case .repeatingStream: "this package: repeating stream, not iterated"
    case .consumer: "this package: stream, a task waits"
    case .dispatchSource: "DispatchSourceTimer each"
    case .taskSleep: "Task.sleep each"
    case .sleepingLoop: "Task.sleep(until:) in a loop each"
    case .runLoopTimer: "Timer on a run loop each"
    case .asyncTimerSequence: "AsyncTimerSequence each"
    case .nioTask: "NIO scheduleTask"
    case .nioCallback: "NIO scheduleCallback"
    case .libuv: "libuv"
    case .libev: "libev"
    case .heap: "heap, one dispatch timer"
    case .timerfd: "heap, bare timerfd loop"
    }
  }
}
