/// The treatment of a date whose replica died, was cut off or has cancelled the run.
public enum AbandonedRunBehavior: Sendable, Hashable {
  /// The run is recorded as abandoned. Each date is begun at most once.
  case leave
  /// Another replica runs the date again, until it was begun `attempts` times in all. Each date is run at
  /// least once while attempts are left, and `ClusterRun.finish(in:)` refuses all runs but the newest. A run
  /// that its program has cancelled, as in a shutdown, isn't counted.
  case runAgain(attempts: Int)

  package var attempts: Int { if case .runAgain(let attempts) = self { attempts } else { 1 } }
}
