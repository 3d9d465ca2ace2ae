import Dispatch
import TestSupport
import TimerScheduling

/// A clock that shows whole seconds and moves only by a call, with wakeups that a test can see.
///
/// Both of its clocks begin at second 2, as those of the model in `Tests/Models/filing.pml` do.
final class CountingClock: SchedulerClock {
  private struct State {
    var now = 2
    var armed: [Timeline: Deadline] = [:]
    var armCount = 0
    var wakeups: [Timeline: @Sendable () -> Void] = [:]
  }

  /// A wakeup source that notes what is armed.
  private final class Source: WakeupSource {
    private let clock: CountingClock
    private let timeline: Timeline

    init(of clock: CountingClock, on timeline: Timeline) {
      (self.clock, self.timeline) = (clock, timeline)
    }

    func arm(at deadline: Deadline) {
      clock.state.withLock { state in
        state.armed[timeline] = deadline
        state.armCount += 1
      }
    }

    func disarm() { clock.state.withLock { $0.armed[timeline] = nil } }
  }

  /// Guards the time and the wakeups.
  private let state = Lock(State())

  var now: Int { state.withLock { $0.now } }

  /// The number of wakeups that were armed.
  var armCount: Int { state.withLock { $0.armCount } }

  static func deadline(_ second: Int, on timeline: Timeline) -> Deadline {
    switch timeline {
    case .monotonic: Deadline(nanoseconds: Int64(second) * 1_000_000_000)
    case .wall: Deadline(Workbench.date(Double(second)))
    }
  }

  /// The second of the armed wakeup, or a dot.
  func armed(on timeline: Timeline) -> String {
    guard let armed = state.withLock({ $0.armed[timeline] }) else { return "." }
    return (0..<10).first { Self.deadline($0, on: timeline) == armed }.map { "\($0)" } ?? "?"
  }

  /// Moves time by a second, and delivers the wakeups that are due.
  func tick(of scheduler: TimerScheduler) async {
    state.withLock { $0.now += 1 }
    while let wakeup = takeDue() {
      scheduler.executor.queue.async(execute: wakeup)
      await scheduler.waitForQueue()
    }
  }

  private func takeDue() -> (@Sendable () -> Void)? {
    let reading = read()
    return state.withLock { state in
      for timeline in [Timeline.monotonic, .wall] {
        guard let armed = state.armed[timeline], armed <= reading[timeline] else { continue }
        state.armed[timeline] = nil
        return state.wakeups[timeline]
      }
      return nil
    }
  }

  // MARK: SchedulerClock

  func read() -> ClockReading {
    let now = now
    return ClockReading(
      monotonic: Self.deadline(now, on: .monotonic), wall: Self.deadline(now, on: .wall))
  }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    state.withLock { $0.wakeups[timeline] = onWakeup }
    return Source(of: self, on: timeline)
  }
}
