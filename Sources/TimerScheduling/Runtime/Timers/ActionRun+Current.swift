extension ActionRun {
  /// The run that the current task belongs to, together with its tracker.
  @TaskLocal static var bound: TrackedRun?

  /// The run that the current task belongs to, or nil if it belongs to none.
  public static var current: ActionRun? { bound?.run }
}
