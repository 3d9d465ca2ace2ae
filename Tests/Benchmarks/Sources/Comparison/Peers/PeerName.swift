import ArgumentParser

/// The peers, as they are named in options and results.
enum PeerName: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
  case action
  case stream
  case repeatingStream
  case dispatchSource
  case taskSleep

  /// Runs a workload, compiled for the type of the peer.
  func run(_ workload: some OneShotWorkload) throws -> Values {
    switch self {
    case .action: try workload.run(ActionTimers.self)
    case .stream: try workload.run(Streams.self)
    case .repeatingStream: try workload.run(RepeatingStreams.self)
    case .dispatchSource: try workload.run(DispatchSources.self)
    case .taskSleep: try workload.run(SleepingTasks.self)
    }
  }
}
