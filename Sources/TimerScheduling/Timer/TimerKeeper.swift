/// What a timer needs of the scheduler that keeps it.
///
/// A record holds its keeper strongly: a live timer keeps its scheduler alive.
package protocol TimerKeeper: AnyObject, Sendable {
  var clock: any SchedulerClock { get }

  /// The record has changed. The keeper compares it with what is filed, some time soon.
  func look(at record: TimerRecord)

  /// The timer has finished, so its name is free again unless another timer has it by now.
  func giveUp(_ name: String, of record: TimerRecord)
}
