import TestSupport
import Testing
import TimerScheduling

/// A source that repeats for a steady timer doesn't fire for nothing once the timer is stopped. Counts all
/// that the source delivers, also what the driver would ignore.
@Suite(.tags(.realClock), .limited, .guarantee("G107"))
struct NeedlessWakeupTests {
  @Test(arguments: SteadyStop.allCases)
  func `After a steady timer is stopped, nothing wakes for nothing`(stop: SteadyStop) async {
    let clock = NotingClock()
    let scheduler = TimerScheduler(configuration: .init(), clock: clock, jitterSeed: 1)
    await stop.useTimer(of: scheduler)
    // Passes that have seen the timer end before this returns. One more wakeup may follow, which sets the
    // source for the deadline in an hour.
    await scheduler.waitForQueue()
    while !clock.isAtRest {
      guard await clock.notes.next() != nil else { return }
    }
    // The last of these notes must be that of the call that has left the source at rest.
    let count = clock.notes.entries.count
    for await _ in TimerScheduler().ticks(on: .after(.milliseconds(100))) {}
    let needless = clock.notes.entries.dropFirst(count - 1).filter { $0 == .fired }
    #expect(needless.isEmpty)
    withExtendedLifetime(scheduler) {}
  }
}

/// The call that stops a steady timer while its source repeats.
enum SteadyStop: CaseIterable {
  case cancellation, pause
  /// Another timer, which is due in an hour, takes the name.
  case replacement

  /// Makes a timer of 10 ms, and stops it at its tenth tick.
  func useTimer(of scheduler: TimerScheduler) async {
    let timer = scheduler.timer(on: .every(.milliseconds(10)), name: "steady")
    for await tick in timer.firings where tick.index == 9 {
      switch self {
      case .cancellation: timer.cancel()
      case .pause: timer.pause()
      case .replacement: scheduler.schedule(.after(.seconds(3600)), name: "steady") { _ in }
      }
      break
    }
  }
}

private enum SourceNote: Equatable {
  case armed(Deadline)
  case disarmed, fired
}

/// The machine's clocks, with notes of the calls on the source and of its wakeups.
private final class NotingClock: SchedulerClock {
  private let system = TimerScheduler().driver.clock
  let notes = Journal<SourceNote>()

  /// Whether the last call has left the source without a deadline, or with a distant one.
  var isAtRest: Bool {
    guard let last = notes.entries.last(where: { $0 != .fired }) else { return false }
    if case .armed(let deadline) = last { return deadline > readMonotonic() + Interval(.seconds(1800)) }
    return true
  }

  // MARK: SchedulerClock

  func read() -> ClockReading { system.read() }
  func readMonotonic() -> Deadline { system.readMonotonic() }
  var wakeupCost: Interval { system.wakeupCost }
  var noticeDelay: Interval { system.noticeDelay }
  var disarmDelay: Interval { system.disarmDelay }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    let source = system.makeWakeupSource(on: timeline, executor: executor) { [notes] in
      notes.note(.fired)
      onWakeup()
    }
    return Source(source, notes)
  }

  /// A source that notes the calls before it makes them.
  private final class Source: WakeupSource {
    private let source: any WakeupSource
    private let notes: Journal<SourceNote>

    init(_ source: any WakeupSource, _ notes: Journal<SourceNote>) {
      (self.source, self.notes) = (source, notes)
    }

    func arm(at deadline: Deadline) {
      notes.note(.armed(deadline))
      source.arm(at: deadline)
    }

    func disarm() {
      notes.note(.disarmed)
      source.disarm()
    }
  }
}
