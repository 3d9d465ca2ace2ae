import Foundation
import TimerScheduling

/// Drives a timer's state machine by hand, with a scheduler and a consumer that are as late as a test wants.
///
/// Time is in seconds from when the timer is made, on both clocks, which a test may pull apart.
final class Workbench {
  private(set) var now: ClockReading
  private let start: ClockReading
  private var machine: TimerStateMachine
  private var cursor = TickCursor.start

  init(_ schedule: TimerSchedule, tolerance: Duration = .zero, jitterSeed: UInt64 = 1) {
    start = ClockReading(
      monotonic: Deadline(nanoseconds: 5_000_000_000), wall: Deadline(Self.date(0)))
    now = start
    let plan = TimerPlan(
      schedule, defaultTolerance: Interval(tolerance), jitterSeed: jitterSeed, at: start)
    machine = TimerStateMachine(plan, at: start)
    settle()
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  func moveTime(to seconds: Double) {
    let elapsed = Interval(seconds: seconds) - (now.monotonic - start.monotonic)
    now.monotonic = now.monotonic + elapsed
    now.wall = now.wall + elapsed
  }

  func setWallClock(by seconds: Double) {
    now.wall = now.wall + Interval(seconds: seconds)
  }

  /// The deadline the timer is filed for, in seconds, or nil.
  var deadline: Double? {
    machine.filing.map { filing in
      let zero = filing.timeline == .wall ? start.wall : start.monotonic
      return Double((filing.deadline - zero).nanoseconds) / 1e9
    }
  }

  var filing: TimerStateMachine.Filing? { machine.filing }
  var finishReason: ScheduledTimer.FinishReason? { machine.finishReason }
  var mustWait: Bool { machine.mustWait(cursor) }

  @discardableResult
  func fire(awaited: Bool) -> TimerStateMachine.FireAction {
    defer { settle() }
    return machine.fire(at: now, isAwaited: awaited)
  }

  /// Takes a tick, asking rules where need be, or nil when there is none.
  func take() -> TimerTick? {
    defer { settle() }
    while true {
      switch machine.take(&cursor, at: { self.now }) {
      case .tick(let tick, newestOrdinal: _): return tick
      case .wait, .finished: return nil
      case .consult(let query, let inquiry): machine.adopt(query.ask(), to: inquiry, at: now)
      }
    }
  }

  /// The wall clock was set back: as the scheduler does, with the rule asked at once.
  func noteWallClockSetBack() {
    switch machine.noteWallClockSetBack(at: now) {
    case .none: break
    case .consult:
      if let (query, inquiry) = machine.consultAnew(at: now) {
        machine.adopt(query.ask(), to: inquiry, at: now)
      }
    }
  }

  func finish(_ reason: ScheduledTimer.FinishReason) -> TimerStateMachine.FinishAction {
    machine.finish(reason, at: { self.now })
  }

  /// As the gate does after every change.
  private func settle() {
    machine.completeIfOver(isOwed: machine.owes(cursor), isRunning: false)
  }

  /// Moves to the deadline, or past it, fires with a consumer waiting, and takes the tick.
  func tick(late seconds: Double = 0) -> TimerTick? {
    guard let deadline else { return nil }
    moveTime(to: deadline + seconds)
    fire(awaited: true)
    return take()
  }
}

extension Interval {
  static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

extension TimerTick {
  /// The tick as a row of numbers in seconds, for tables.
  var row: Row {
    Row(
      due: scheduledDate.timeIntervalSinceReferenceDate, at: date.timeIntervalSinceReferenceDate,
      index: index, missed: missedCount)
  }

  struct Row: Equatable {
    var due: Double
    var at: Double
    var index: Int
    var missed: Int

    init(due: Double, at: Double? = nil, index: Int, missed: Int = 0) {
      self.due = due
      self.at = at ?? due
      self.index = index
      self.missed = missed
    }
  }
}
