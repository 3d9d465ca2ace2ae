import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operation that is repeated to count its instructions.
enum Operation: String, CaseIterable {
  /// Cancels a timer that has an action, and schedules another.
  case schedule
  /// Cancels a timer that has an action and an owner, and schedules another for that owner.
  case owned
  /// Cancels a timer whose action captures an object weakly, and schedules another.
  case weak
  /// Drops a stream, and makes another.
  case stream
  /// Makes a stream.
  case open
  /// Gives a pending timer another deadline.
  case reschedule
  /// Fires the timer of a stream whose consumer is away.
  case fire
  /// Fires a repeating timer whose consumer waits, takes the tick, and waits for the next.
  case tick
  /// Fires the timer of a stream whose consumer waits, takes the tick, and ends.
  case once
  /// Fires a repeating timer that has an action, and runs it.
  case action
  /// Ends a timer for which tasks wait through one listener, ten for each operation. What it costs a task
  /// must not grow with their number.
  case crowd
  /// Makes a task that waits for a tick in a loop, a stream of one tick, a timer with an action, or one that
  /// repeats. Its memory is counted instead.
  case loopMemory, streamMemory, actionMemory, repeatingMemory

  /// Exits when it is done.
  func perform(count: Int, among population: Int, on scheduler: TimerScheduler) async {
    Delays.awaitGoodTime()
    // The wheel of a scheduler finds out where the clock stands when it runs empty.
    for await _ in scheduler.ticks(on: .after(.zero)) {}
    switch self {
    case .schedule: await scheduler.replaceTimers(count, of: population)
    case .owned: await scheduler.replaceOwnedTimers(count, of: population)
    case .weak: await scheduler.replaceWeaklyCapturingTimers(count, of: population)
    case .stream: await scheduler.replaceStreams(count, of: population)
    case .open, .streamMemory: await scheduler.makeStreams(count)
    case .actionMemory: await scheduler.makeTimers(count) { .after($0) }
    case .repeatingMemory: await scheduler.makeTimers(count) { .every($0) }
    case .reschedule: await scheduler.rescheduleTimers(count, of: population)
    case .fire: await scheduler.fireStreams(count, of: population)
    case .tick: await scheduler.resumeConsumers(count, of: population)
    case .once: await scheduler.fireOnce(count, of: population)
    case .action: await scheduler.runActions(count, of: population)
    case .crowd: await scheduler.endTimer(ofTasks: 10 * count)
    case .loopMemory: await scheduler.makeConsumers(count)
    }
  }
}
