/// The ticks of a timer with their details, for one consumer.
///
/// The sequence finishes when the timer does or when the consuming task is cancelled. A tick is taken on the
/// consumer's isolation: none comes after its actor has cancelled or paused the timer.
///
/// ```swift
/// for await tick in timer.firings where tick.missedCount > 0 {
///   logger.info("missed \(tick.missedCount) before \(tick.scheduledDate)")
/// }
/// ```
public struct TimerFirings: AsyncSequence, Sendable {
  /// A tick of the timer.
  public typealias Element = TimerTick
  /// The iterator never throws.
  public typealias Failure = Never

  /// An iterator that takes one tick after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let listener: TickListener

    /// Waits for the next tick. Returns nil once there are no more.
    public mutating func next() async -> TimerTick? { await next(isolation: #isolation) }

    /// Waits for the next tick on an actor. Returns nil once there are no more.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TimerTick? {
      await listener.nextUnlessCancelled(isolation: actor)
    }
  }

  private let listener: TickListener

  init(_ listener: TickListener) { self.listener = listener }

  /// Returns an iterator that shares the listener of this sequence.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: listener) }
}
