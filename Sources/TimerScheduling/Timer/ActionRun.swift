/// One run of an action, from its task's beginning to its end.
///
/// Numbers only, as tasks that an action makes inherit it and may outlive the timer.
struct ActionRun: Sendable, Hashable {
  /// The run that the current task belongs to, if it does.
  @TaskLocal static var current: ActionRun?

  let timer: UInt64
  let number: UInt32
}
