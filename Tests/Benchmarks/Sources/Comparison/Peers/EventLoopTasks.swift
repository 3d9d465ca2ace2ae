import NIOCore
import NIOPosix

/// NIO's scheduled tasks, on one event loop.
struct EventLoopTasks: OneShotPeer, RepeatingPeer {
  private let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
  }

  func perform(_ work: @escaping @Sendable () -> Void) throws {
    try loop.submit(work).wait()
  }

  func schedule(after delay: Delay) -> Scheduled<Void> {
    loop.scheduleTask(in: .nanoseconds(delay.nanoseconds)) { [fired] in fired.note() }
  }

  func cancel(_ task: consuming Scheduled<Void>) {
    task.cancel()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let task = loop.scheduleRepeatedTask(
      initialDelay: .nanoseconds(rhythm.delay.nanoseconds), delay: .nanoseconds(rhythm.interval.nanoseconds)
    ) { _ in track.note() }
    return { task.cancel() }
  }
}
