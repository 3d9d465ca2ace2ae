import Foundation
import TestSupport
import Testing
import TimerScheduling

/// A timer that has fired is never filed for a moment that has already come. A pass would fire it again and
/// again.
@Suite(.guarantee("G8")) struct TimerProgressTests {
  private static let endless = TimeInterval(1e10)

  private static let starts: [TimerSchedule.Start] = [
    .afterInterval, .immediately, .after(.zero), .after(.seconds(1e10)), .aligned,
    .aligned(offset: .seconds(-1)), .at(.distantPast),
    .at(Workbench.date(-1)), .at(Workbench.date(1)), .at(.distantFuture),
  ]

  private static let rules: [TimerSchedule] = [
    .rule(EverySeconds(60)), .rule(Answering { _ in .distantFuture }), .rule(Answering { $0 + 1e-9 }),
    .rule(Answering { $0 < Workbench.date(30) ? $0 + 7 : nil }),
  ]

  private static let countdowns: [TimerSchedule] = [
    (1e10, 1e-9), (1e10, 1e10), (90, 60), (0, 1), (1e-9, 1e-9),
  ].map { (seconds: Double, step: Double) in
    let scale = CountdownScale(from: .seconds(seconds), to: .zero, every: .seconds(step))
    return TimerSchedule(cadence: .countdown(scale))
  }

  static let cadences: [TimerSchedule] =
    [1e-9, 60, endless].flatMap { interval in
      starts.map { TimerSchedule.every(interval, starting: $0) }
    }
    + [0, 60, endless].map { TimerSchedule.after($0) }
    + [.distantPast, Workbench.date(-1), Workbench.date(60), .distantFuture].map { TimerSchedule.at($0) }
    + countdowns + rules

  /// The same cadence with each last date and each jitter.
  private static func variants(of cadence: TimerSchedule) -> [TimerSchedule] {
    let ends: [Date?] = [nil, Workbench.date(-1), Workbench.date(60), .distantFuture]
    return ends.flatMap { end -> [TimerSchedule] in
      let schedule = end.map { cadence.until($0) } ?? cadence
      return [schedule, schedule.jitter(upTo: .seconds(1e10))]
    }
  }

  private static let readings: [ClockReading] = {
    let (zero, early) = (Deadline(nanoseconds: 0), Deadline(nanoseconds: 5_000_000_000))
    let almostNever = Deadline.never - Interval(.seconds(30))
    let today = Deadline(Workbench.date(0))
    return [
      ClockReading(monotonic: early, wall: today), ClockReading(monotonic: zero, wall: .past),
      ClockReading(monotonic: early, wall: .never), ClockReading(monotonic: almostNever, wall: today),
      ClockReading(monotonic: early, wall: almostNever),
    ]
  }()

  /// The cadence is named by its number, as some have long descriptions.
  @Test(arguments: cadences.indices)
  func `A timer that has fired is filed later than the clocks show`(number: Int) {
    for (variant, schedule) in Self.variants(of: Self.cadences[number]).enumerated() {
      let schedule = schedule.missedTicks([.skip, .burst, .delay][variant % 3])
      // By day each variant begins at one of the readings.
      let readings = size([Self.readings[(number + variant) % Self.readings.count]], full: Self.readings)
      for reading in readings {
        let fault = fault(of: schedule, from: reading)
        #expect(fault == nil, "\(schedule) from \(reading)")
      }
    }
  }

  /// The first fault after any two events, with a listener that waits and without.
  private func fault(of schedule: TimerSchedule, from reading: ClockReading) -> String? {
    for first in Event.allCases {
      for (second, isAwaited) in Event.allCases.flatMap({ [($0, true), ($0, false)] }) {
        let bench = Workbench(schedule, at: reading)
        for event in [.stay, first, second] {
          bench.perform(event, schedule)
          bench.fire(awaited: isAwaited)
          if let filing = bench.filing, filing.deadline <= bench.now[filing.timeline] {
            return "\(filing) after \(first) and \(second), awaited: \(isAwaited)"
          }
        }
      }
    }
    return nil
  }
}

/// An event between extreme readings of the clocks.
private enum Event: CaseIterable {
  case stay, moveOn, moveCenturies, setWallToBeginning, setWallToEnd, setWallBack
  case take, fireByHand, reschedule
  case pauseAndResume, pauseForCenturies, pauseAndKeepPhase, pauseAndTickAtOnce
}

extension Workbench {
  fileprivate func perform(_ event: Event, _ schedule: TimerSchedule) {
    switch event {
    case .stay: break
    case .moveOn: moveTime(by: .seconds(61))
    case .moveCenturies:
      let before = now
      moveTime(by: Interval.max)
      // The monotonic clock has gone on, and the wall clock stands at its end.
      if now.isSetBack(since: before) { wallClockSetBack() }
    case .setWallToBeginning: setWall(to: .past)
    case .setWallToEnd: setWall(to: .never)
    case .setWallBack: setWall(to: now.wall - Interval(.seconds(3600)))
    case .take:
      if case .ask(let question) = takeStep(by: 0) { accept(question.ask()) }
    case .fireByHand: fireByHand()
    case .reschedule: reschedule(schedule)
    case .pauseAndResume: pause(for: Interval(.seconds(61)), .keepingRemainingTime)
    case .pauseForCenturies: pause(for: .max, .keepingRemainingTime)
    case .pauseAndKeepPhase: pause(for: Interval(.seconds(61)), .keepingPhase)
    case .pauseAndTickAtOnce: pause(for: Interval(.seconds(61)), .immediately)
    }
  }

  private func setWall(to wall: Deadline) {
    let before = now
    now.wall = wall
    now.setAfter = now.monotonic
    if now.isSetBack(since: before) { wallClockSetBack() }
  }

  private func pause(for interval: Interval, _ behavior: ResumeBehavior) {
    pause()
    moveTime(by: interval)
    resume(behavior)
  }
}
