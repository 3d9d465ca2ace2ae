import Foundation
import TimerScheduling

/// Clocks that stand still until a test moves them.
///
/// Everything but the time is the production scheduler's. `advance` goes from wakeup to wakeup, and after
/// each one lets the scheduler do all it has been posted. Consumers run as they always do: a test that
/// needs one to have taken its tick awaits what the consumer does with it.
final class ManualClock: SchedulerClock {
  private struct State {
    var now: ClockReading
    var sources: [ObjectIdentifier: Request] = [:]
    var wakeupCount = 0
  }

  private struct Request {
    var timeline: Timeline
    var deadline: Deadline
    var deliver: @Sendable () -> Void
  }

  /// Guards the time and the wakeups asked for.
  private let state: Lock<State>
  private let stepPerReading: Interval

  /// The monotonic clock starts at 1000 seconds, and the wall clock at the reference date.
  ///
  /// With a step, they move on by so much each time they are read, as real clocks do.
  init(date: Date = Date(timeIntervalSinceReferenceDate: 0), stepPerReading: Duration = .zero) {
    self.stepPerReading = Interval(stepPerReading)
    state = Lock(
      State(now: ClockReading(monotonic: Deadline(nanoseconds: 1_000_000_000_000), wall: Deadline(date))))
  }

  func makeScheduler(tolerance: Duration = .zero, jitterSeed: UInt64 = 1) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.tolerance = tolerance
    return TimerScheduler(configuration: configuration, clock: self, jitterSeed: jitterSeed)
  }

  // MARK: The time

  func read() -> ClockReading {
    state.withLock { state in
      state.now.monotonic = state.now.monotonic + stepPerReading
      state.now.wall = state.now.wall + stepPerReading
      return state.now
    }
  }

  var date: Date { Date(read().wall) }

  /// How often a scheduler was woken.
  var wakeupCount: Int { state.withLock(\.wakeupCount) }

  /// How many wakeups are asked for.
  var armedCount: Int { state.withLock(\.sources.count) }

  /// Moves on without delivering the wakeups on the way, as if the process had been stopped.
  func stall(for duration: Duration) {
    state.withLock { state in
      state.now.monotonic = state.now.monotonic + Interval(duration)
      state.now.wall = state.now.wall + Interval(duration)
    }
  }

  func advance(by duration: Duration, _ scheduler: TimerScheduler) async {
    let target = read().monotonic + Interval(duration)
    while true {
      _ = await scheduler.timerCount
      guard let wakeup = moveToNextWakeup(until: target) else { return }
      wakeup()
    }
  }

  /// Sets the wall clock, which moves without the monotonic one, and delivers the wakeups it brings.
  func setWallClock(by duration: Duration, _ scheduler: TimerScheduler) async {
    _ = await scheduler.timerCount
    state.withLock { $0.now.wall = $0.now.wall + Interval(duration) }
    await advance(by: .zero, scheduler)
  }

  /// Moves on to the first wakeup asked for, but no farther than `target`, and returns its delivery.
  private func moveToNextWakeup(until target: Deadline) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let now = state.now
      let lead = now.wall - now.monotonic
      let due = state.sources.map { source, request in
        switch request.timeline {
        case .monotonic: (source, max(request.deadline, now.monotonic))
        case .wall: (source, max(request.deadline - lead, now.monotonic))
        }
      }
      guard let (source, moment) = due.min(by: { $0.1 < $1.1 }), moment <= target else {
        state.now = ClockReading(monotonic: target, wall: target + lead)
        return nil
      }
      state.now = ClockReading(monotonic: moment, wall: moment + lead)
      state.wakeupCount += 1
      return state.sources.removeValue(forKey: source)?.deliver
    }
  }

  // MARK: Wakeups

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    Source(clock: self, timeline: timeline) { executor.async(onWakeup) }
  }

  private final class Source: WakeupSource {
    let clock: ManualClock
    let timeline: Timeline
    let deliver: @Sendable () -> Void

    init(clock: ManualClock, timeline: Timeline, deliver: @escaping @Sendable () -> Void) {
      self.clock = clock
      self.timeline = timeline
      self.deliver = deliver
    }

    deinit { disarm() }

    func arm(at deadline: Deadline) {
      let request = Request(timeline: timeline, deadline: deadline, deliver: deliver)
      clock.state.withLock { $0.sources[ObjectIdentifier(self)] = request }
    }

    func disarm() {
      clock.state.withLock { _ = $0.sources.removeValue(forKey: ObjectIdentifier(self)) }
    }

    func noteWakeup() {}
  }
}
