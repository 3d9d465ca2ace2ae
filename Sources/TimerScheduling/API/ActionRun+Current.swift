extension ActionRun {
  /// The run that the current task belongs to, or nil if it belongs to none.
  public static var current: ActionRun? { Run.current?.value }
}
