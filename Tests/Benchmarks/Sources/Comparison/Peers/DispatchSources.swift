@unsafe @preconcurrency import Dispatch

/// A dispatch timer for each timer, all on one queue.
struct DispatchSources: OneShotPeer {
  /// A source may be used from any thread, though on Linux it doesn't say so.
  struct Handle: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private let queue = DispatchQueue(label: "peer")
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
  }

  func schedule(after delay: Delay) -> Handle {
    let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    source.setEventHandler { @Sendable [fired] in fired.note() }
    source.schedule(deadline: DispatchTime(delay), leeway: .nanoseconds(0))
    source.activate()
    return Handle(source: source)
  }

  func restart(_ handle: inout Handle, after delay: Delay) {
    handle.source.schedule(deadline: DispatchTime(delay), leeway: .nanoseconds(0))
  }

  func cancel(_ handle: consuming Handle) {
    handle.source.cancel()
  }
}

extension DispatchTime {
  init(_ delay: Delay) {
    self = .now() + .nanoseconds(Int(delay.nanoseconds))
  }
}
