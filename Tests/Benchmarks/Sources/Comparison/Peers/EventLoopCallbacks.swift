import NIOCore
import NIOPosix

/// NIO's scheduled callbacks, on one event loop.
struct EventLoopCallbacks: OneShotPeer, RepeatingPeer {
  private struct Handler: NIOScheduledCallbackHandler, Sendable {
    let fired: FireCounter

    func handleScheduledCallback(eventLoop: some EventLoop) {
      fired.note()
    }
  }

  private let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
  private let handler: Handler

  init(fired: FireCounter) {
    handler = Handler(fired: fired)
  }

  func perform(_ work: @escaping @Sendable () -> Void) throws {
    try loop.submit(work).wait()
  }

  func schedule(after delay: Delay) -> NIOScheduledCallback {
    let callback = try? loop.scheduleCallback(in: .nanoseconds(delay.nanoseconds), handler: handler)
    guard let callback else { preconditionFailure("The event loop has been shut down.") }
    return callback
  }

  func cancel(_ callback: consuming NIOScheduledCallback) {
    callback.cancel()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    RepeatingHandler(rhythm, track).schedule(on: loop)
    return { track.end() }
  }
}

/// Schedules itself again each time, on a grid.
private final class RepeatingHandler: NIOScheduledCallbackHandler, @unchecked Sendable {
  /// Touched before the first call, and then by the one thread of the loop.
  private var deadline: NIODeadline
  private let interval: TimeAmount
  private let track: TickTrack

  init(_ rhythm: Rhythm, _ track: TickTrack) {
    deadline = .uptimeNanoseconds(UInt64(rhythm.start.nanoseconds))
    interval = .nanoseconds(rhythm.interval.nanoseconds)
    self.track = track
  }

  func schedule(on loop: some EventLoop) {
    _ = try? loop.scheduleCallback(at: deadline, handler: self)
  }

  func handleScheduledCallback(eventLoop: some EventLoop) {
    guard !track.isOver else { return }
    track.note()
    deadline = deadline + interval
    schedule(on: eventLoop)
  }
}
