import Foundation
import TimerScheduling

/// This package's streams of repeating ticks, which no task iterates.
struct RepeatingStreams: OneShotPeer {
  private let scheduler = TimerScheduler()

  init(fired: FireCounter) {}

  func schedule(after delay: Delay) -> AsyncStream<Date> {
    scheduler.ticks(every: delay.duration)
  }

  /// A stream ends as it is dropped, and the caller has given up this one.
  func cancel(_ stream: consuming AsyncStream<Date>) {}
}
