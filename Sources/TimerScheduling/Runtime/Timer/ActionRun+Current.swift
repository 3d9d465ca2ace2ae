extension ActionRun {
  /// The run that the current task belongs to, with the tracker that knows whether it has ended.
  @TaskLocal static var bound: TrackedRun?

  /// The run that the current task belongs to, if it does.
  public static var current: ActionRun? { bound?.run }
}
