import Foundation
import TimerScheduling

/// A timer of an extreme schedule, driven by hand between extreme readings of the clocks.
struct ExtremeTimer: ~Copyable {
  enum Event: CaseIterable {
    case stay, moveOn, moveCenturies, setWallToBeginning, setWallToEnd, setWallBack
    case take, fireByHand, reschedule
    case pauseAndResume, pauseForCenturies, pauseAndKeepPhase, pauseAndTickAtOnce
  }

  private var machine: TimerStateMachine
  private var now: ClockReading
  private var cursor = TickCursor.start
  private let schedule: TimerSchedule

  init(_ schedule: TimerSchedule, at start: ClockReading) {
    self.schedule = schedule
    now = start
    machine = TimerStateMachine(Self.plan(schedule, at: start), at: start)
  }

  private static func plan(_ schedule: TimerSchedule, at reading: ClockReading) -> BoundSchedule {
    BoundSchedule(schedule, defaultTolerance: .zero, jitterSeed: 1, at: reading)
  }

  /// Fires the timer. Returns the deadline it is filed for, if that isn't later than the clocks show.
  mutating func fire(isAwaited: Bool) -> TimerStateMachine.Filing? {
    _ = machine.fire(at: now, isAwaited: isAwaited)
    return machine.filing.flatMap { $0.deadline > now[$0.timeline] ? nil : $0 }
  }

  mutating func perform(_ event: Event) {
    switch event {
    case .stay: break
    case .moveOn: move(by: Interval(.seconds(61)))
    case .moveCenturies: move(by: .max)
    case .setWallToBeginning: setWall(to: .past)
    case .setWallToEnd: setWall(to: .never)
    case .setWallBack: setWall(to: now.wall - Interval(.seconds(3600)))
    case .take: take()
    case .fireByHand: machine.fireByHand { [now] in now }
    case .reschedule: _ = machine.reschedule(Self.plan(schedule, at: now), at: now)
    case .pauseAndResume: pause(for: Interval(.seconds(61)), .keepingRemainingTime)
    case .pauseForCenturies: pause(for: .max, .keepingRemainingTime)
    case .pauseAndKeepPhase: pause(for: Interval(.seconds(61)), .keepingPhase)
    case .pauseAndTickAtOnce: pause(for: Interval(.seconds(61)), .immediately)
    }
  }

  private mutating func move(by interval: Interval) {
    now.monotonic = now.monotonic + interval
    now.wall = now.wall + interval
  }

  private mutating func setWall(to wall: Deadline) {
    let before = now
    now.wall = wall
    guard now.isSetBack(since: before) else { return }
    switch machine.wallClockSetBack(at: now) {
    case .none: break
    case .consult:
      if let (query, inquiry) = machine.consultAnew(at: now) {
        machine.adopt(query.ask(), to: inquiry, at: now)
      }
    }
  }

  private mutating func take() {
    switch machine.take(&cursor, at: { [now] in now }) {
    case .consult(let query, let inquiry): machine.adopt(query.ask(), to: inquiry, at: now)
    case .tick, .wait, .finished: break
    }
  }

  private mutating func pause(for interval: Interval, _ behavior: ResumeBehavior) {
    machine.pause { [now] in now }
    move(by: interval)
    machine.resume(behavior) { [now] in now }
  }
}
