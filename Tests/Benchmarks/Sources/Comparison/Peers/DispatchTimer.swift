@unsafe @preconcurrency import Dispatch

/// A dispatch timer. It may be used from any thread, though on Linux it doesn't say so.
struct DispatchTimer: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(on queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
  }

  /// Starts the timer, which is to have been given its deadline.
  func start(_ handler: @escaping @Sendable () -> Void) {
    source.setEventHandler(handler: handler)
    source.activate()
  }

  func schedule(after delay: Delay) {
    source.schedule(deadline: DispatchTime(delay), leeway: .nanoseconds(0))
  }

  func schedule(in rhythm: Rhythm) {
    source.schedule(
      deadline: DispatchTime(rhythm.delay), repeating: .nanoseconds(Int(rhythm.interval.nanoseconds)),
      leeway: .nanoseconds(Int(Delay(rhythm.tolerance).nanoseconds)))
  }

  /// The number of deadlines that have passed since the handler was last called.
  var passedCount: Int { Int(source.data) }

  func cancel() {
    source.cancel()
  }
}

extension DispatchTime {
  fileprivate init(_ delay: Delay) {
    self = .now() + .nanoseconds(Int(delay.nanoseconds))
  }
}
