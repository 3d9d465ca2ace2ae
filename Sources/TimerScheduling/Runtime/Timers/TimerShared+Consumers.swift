extension TimerShared {
  /// The condition, besides its schedule, on which a timer ends.
  enum Lifetime: Sendable {
    /// Ends with its first listener.
    case stream
    /// Ends when there is neither a handle nor a listener.
    case handles
    /// Ends only by a call.
    case own
  }

  /// The listeners and the action. The object is made once there is more to store than that the first listener has
  /// joined or left.
  ///
  /// It belongs to the timer alone, so accesses never overlap.
  final class Consumers {
    @safe @exclusivity(unchecked) var listeners: Listeners
    @safe @exclusivity(unchecked) var runs: ActionRuns
    /// The readiness for which the waiting listeners were last woken.
    @safe @exclusivity(unchecked) var readiness: TimerStateMachine.Readiness?
    /// Tasks that wait for the timer's end, which they may give up, and tasks that also wait for a running action.
    @safe @exclusivity(unchecked) var endWaiters = WaitList<CancellableWait>()
    @safe @exclusivity(unchecked) var quietWaiters = WaitList<WaitingTask>()

    init(_ listeners: consuming Listeners, _ runs: ActionRuns) {
      self.listeners = listeners
      self.runs = runs
    }
  }
}
