import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite struct TimerScheduleTests {
  // FAULTS I3
  @Test func `A number of seconds means what the duration does`() {
    let every = TimerSchedule.every(.seconds(60))
    #expect(every.jitter(upTo: 2.5).tolerance(1) == every.jitter(upTo: .seconds(2.5)).tolerance(.seconds(1)))
    #expect(TimerSchedule.every(60, starting: .after(5)) == .every(60, starting: .after(.seconds(5))))
    #expect(
      TimerSchedule.every(60, starting: .aligned(offset: -5))
        == .every(60, starting: .aligned(offset: .seconds(-5))))
    #expect(
      TimerSchedule.every(60, starting: .spread(by: "a", over: 60))
        == .every(60, starting: .spread(by: "a", over: .seconds(60))))
    #expect(Backoff.constant(5) == .constant(.seconds(5)))
    #expect(Backoff.exponential(from: 1, upTo: 60) == .exponential(from: .seconds(1), upTo: .seconds(60)))
  }

  // MARK: Validation

  @Test(
    .hazard("Y2", "Z6"),
    .guarantee("G155"),
    arguments: [
      (0.0, TimerScheduleError.notPositive(0)), (-1.5, .notPositive(-1.5)),
      (.infinity, .notFinite(.infinity)), (-.infinity, .notFinite(-.infinity)),
    ])
  func `A number that is no interval is refused`(seconds: Double, error: TimerScheduleError) {
    #expect(throws: error) { try TimerSchedule(validatingEvery: seconds) }
  }

  @Test(.hazard("Y2", "Z6"), .guarantee("G155")) func `A value that isn't a number is refused`() {
    #expect { try TimerSchedule(validatingEvery: TimeInterval.nan) } throws: { error in
      guard case TimerScheduleError.notFinite(let seconds) = error else { return false }
      return seconds.isNaN
    }
    #expect(throws: TimerScheduleError.self) { try TimerSchedule(validatingAfter: .nan) }
    let notADate = TimerSchedule.Start.at(Date(timeIntervalSinceReferenceDate: .nan))
    #expect(throws: TimerScheduleError.self) { try TimerSchedule(validatingEvery: 1.0, starting: notADate) }
  }

  @Test(
    .guarantee("G155"),
    arguments: [
      Duration.zero, .seconds(-2), .nanoseconds(-1), .seconds(Int64.min), .seconds(Int64.min) * 10,
    ])
  func `A duration that is no interval is refused`(interval: Duration) {
    #expect(throws: TimerScheduleError.self) { try TimerSchedule(validatingEvery: interval) }
  }

  @Test(.guarantee("G155")) func `A negative delay is refused`() {
    #expect(throws: TimerScheduleError.negative(-0.5)) { try TimerSchedule(validatingAfter: -0.5) }
    #expect(throws: TimerScheduleError.notFinite(.infinity)) { try TimerSchedule(validatingAfter: .infinity) }
  }

  @Test(
    .hazard("Z6"),
    .guarantee("G155"),
    arguments: [
      (
        TimerScheduleError.notFinite(.infinity),
        "A timer's interval or delay must be a finite number of seconds, but inf was given."
      ),
      (.notPositive(-3), "A timer's interval must be greater than zero, but -3.0 seconds was given."),
      (.negative(-3), "A timer's delay must be zero or more, but -3.0 seconds was given."),
    ])
  func `An error says what was given and what is allowed`(error: TimerScheduleError, sentence: String) {
    #expect("\(error)" == sentence)
  }

  @Test(
    .guarantee("G155"),
    arguments: [1e-10, 1e-9, 1, 1e9, 1e30, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
  func `Every finite number greater than zero is an interval`(seconds: Double) throws {
    _ = try TimerSchedule(validatingEvery: seconds)
    _ = try TimerSchedule(validatingAfter: seconds)
  }

  @Test(.guarantee("G155")) func `The longest duration is an interval`() throws {
    _ = try TimerSchedule(validatingEvery: Duration.seconds(Int64.max) * 10)
  }

  @Test(.guarantee("G156"), arguments: Misuse.allCases)
  func `A literal that makes no sense stops the process with a sentence`(misuse: Misuse) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
      await misuse.commit()
    }
    // Release builds stop too, but the compiler leaves the sentence out.
    #if DEBUG
    let output = try #require(result).standardErrorContent
    #expect(String(decoding: output, as: UTF8.self).contains(misuse.sentence))
    #endif
  }
}

/// A caller's mistake, and the end of the message that it causes.
enum Misuse: String, Codable, CaseIterable {
  case zeroInterval, negativeInterval, notANumber, infiniteTicks, zeroTicks
  case zeroSpread, negativeSpread
  case negativeLimit, negativeTolerance, negativeJitter, noDate, noEnd, negativeSchedulerTolerance
  case zeroOwnerCheck, zeroTimeout, negativeDates, sharedShutdown
  case zeroAction, noActionDate
  case endlessSleep, endlessLimit, endlessExtension, endlessCountdown, zeroStep, negativeStep, noStep

  func commit() async {
    let noDate = Date(timeIntervalSinceReferenceDate: .nan)
    switch self {
    case .zeroInterval: _ = TimerSchedule.every(0)
    case .negativeInterval: _ = TimerSchedule.every(.seconds(-1))
    case .notANumber: _ = TimerSchedule.every(TimeInterval.nan)
    case .infiniteTicks: _ = TimerScheduler().ticks(every: TimeInterval.infinity)
    case .zeroTicks: _ = TimerScheduler().ticks(every: Duration.zero)
    case .zeroSpread: _ = TimerSchedule.Start.spread(by: "tenant-1", over: .zero)
    case .negativeSpread: _ = TimerSchedule.Start.spread(by: "tenant-1", over: .seconds(-1))
    case .negativeLimit: _ = TimerSchedule.every(1).limit(-1)
    case .negativeTolerance: _ = TimerSchedule.every(1).tolerance(.seconds(-1))
    case .negativeJitter: _ = TimerSchedule.every(1).jitter(upTo: .seconds(-1))
    case .noDate: _ = TimerSchedule.at(noDate)
    case .noEnd: _ = TimerSchedule.every(1).until(noDate)
    case .negativeSchedulerTolerance:
      var configuration = TimerScheduler.Configuration()
      configuration.tolerance = .seconds(-1)
      _ = TimerScheduler(configuration: configuration)
    case .zeroOwnerCheck:
      var configuration = TimerScheduler.Configuration()
      configuration.ownerCheckInterval = .zero
      _ = TimerScheduler(configuration: configuration)
    case .zeroTimeout: TimerScheduler().schedule(every: .seconds(1), timeout: .zero) { _ in }
    case .negativeDates: _ = TimerScheduler().timer(on: .every(1)).nextDates(-1)
    case .sharedShutdown: TimerScheduler.shared.shutdown()
    case .zeroAction: TimerScheduler().schedule(every: 0) { _ in }
    case .noActionDate: TimerScheduler().schedule(at: noDate) { _ in }
    case .endlessSleep: try? await TimerScheduler().sleep(for: TimeInterval.infinity)
    case .endlessLimit: try? await withTimeout(TimeInterval.infinity) {}
    case .endlessExtension: TimerScheduler().countdown(from: 1).extend(by: TimeInterval.infinity)
    case .endlessCountdown: TimerScheduler().countdown(from: TimeInterval.infinity)
    case .zeroStep: TimerScheduler().countdown(from: .seconds(5), every: .zero)
    case .negativeStep: TimerScheduler().countdown(from: 5, every: -2)
    case .noStep: TimerScheduler().countdown(from: 5, every: .nan)
    }
  }

  var sentence: String {
    switch self {
    case .zeroInterval, .zeroTicks, .zeroAction, .zeroSpread:
      "interval must be greater than zero, but 0.0 seconds was given."
    case .negativeInterval, .negativeSpread:
      "interval must be greater than zero, but -1.0 seconds was given."
    case .notANumber: "must be a finite number of seconds, but nan was given."
    case .infiniteTicks, .endlessSleep, .endlessLimit, .endlessExtension, .endlessCountdown:
      "must be a finite number of seconds, but inf was given."
    case .negativeLimit: "A limit must be zero or more, but -1 was given."
    case .negativeTolerance: "A tolerance must be zero or more, but -1.0 seconds was given."
    case .negativeJitter: "A jitter must be zero or more, but -1.0 seconds was given."
    case .noDate, .noEnd, .noActionDate: "A timer's date must be a number, but NaN was given."
    case .negativeSchedulerTolerance: "tolerance must be zero or more, but -1.0 seconds was given."
    case .zeroOwnerCheck: "check interval must be greater than zero, but 0.0 seconds was given."
    case .zeroTimeout: "An action's timeout must be greater than zero, but 0.0 seconds was given."
    case .negativeDates: "A number of dates must be zero or more, but -1 was given."
    case .zeroStep: "A countdown's step must be greater than zero, but 0.0 seconds was given."
    case .negativeStep: "A countdown's step must be greater than zero, but -2.0 seconds was given."
    case .noStep: "A countdown"
    case .sharedShutdown: "The shared scheduler can't be shut down. Make a scheduler of your own."
    }
  }
}
