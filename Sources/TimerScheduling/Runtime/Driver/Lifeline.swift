/// Keeps the timers of a clock that can be dropped while they live.
///
/// Such a clock holds the lifeline while there are timers; a scheduler and its timers' handles hold it, too. When it
/// is released, so are the timers.
final class Lifeline: Sendable {
  private let context: TimerContext

  init(_ context: TimerContext) { self.context = context }

  deinit { context.abandon() }
}
