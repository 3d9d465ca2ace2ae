import Foundation

extension FuzzInput {
  /// A schedule of any cadence, with any options.
  mutating func schedule() -> TimerSchedule {
    var schedule = cadence()
    if bool() { schedule = schedule.tolerance(span()) }
    if bool() { schedule = schedule.jitter(upTo: span()) }
    if bool() { schedule = schedule.until(date()) }
    if bool() { schedule = schedule.limit(bool() ? Int(magnitude()) : number(below: 8)) }
    return schedule.missedTicks([.skip, .burst, .delay][number(below: 3)])
  }

  private mutating func cadence() -> TimerSchedule {
    switch number(below: 7) {
    case 0: return every(double())
    case 1: return every(duration())
    case 2: return after(double())
    case 3: return .at(date())
    case 4:
      let (start, end, step) = (duration(), duration(), span())
      guard step > .zero else { return .after(1) }
      return TimerSchedule(cadence: .countdown(CountdownScale(from: start, to: end, every: step)))
    default: return .rule(rule())
    }
  }

  // MARK: Validation

  private mutating func every(_ seconds: Double) -> TimerSchedule {
    let start = start()
    do {
      let schedule = try TimerSchedule(validatingEvery: seconds, starting: start)
      require(seconds > 0 && seconds.isFinite && start.isValid, "\(seconds) from \(start) is a schedule")
      return schedule
    } catch {
      require(!(seconds > 0 && seconds.isFinite && start.isValid), "\(seconds) from \(start): \(error)")
      return .every(1)
    }
  }

  private mutating func every(_ interval: Duration) -> TimerSchedule {
    let start = start()
    do {
      let schedule = try TimerSchedule(validatingEvery: interval, starting: start)
      require(interval > .zero && start.isValid, "\(interval) from \(start) is a schedule")
      return schedule
    } catch {
      require(!(interval > .zero && start.isValid), "\(interval) from \(start): \(error)")
      return .every(1)
    }
  }

  private mutating func after(_ seconds: Double) -> TimerSchedule {
    do {
      let schedule = try TimerSchedule(validatingAfter: seconds)
      require(seconds >= 0 && seconds.isFinite, "\(seconds) is a delay")
      return schedule
    } catch {
      require(!(seconds >= 0 && seconds.isFinite), "\(seconds): \(error)")
      return .after(1)
    }
  }

  private mutating func start() -> TimerSchedule.Start {
    switch number(below: 7) {
    case 0: .afterInterval
    case 1: .immediately
    case 2: .after(duration())
    // NaN among them.
    case 3: .at(Date(timeIntervalSinceReferenceDate: double()))
    case 4: .aligned(offset: duration())
    case 5: .spread(by: "\(byte())", over: max(duration(), .nanoseconds(1)))
    default: .aligned
    }
  }

  private mutating func rule() -> FuzzedRule {
    FuzzedRule(answers: (0...number(below: 4)).map { _ in FuzzedRule.Answer(&self) })
  }
}

extension TimerSchedule.Start {
  fileprivate var isValid: Bool {
    switch form {
    case .at(let date): !date.timeIntervalSinceReferenceDate.isNaN
    default: true
    }
  }
}

/// A rule that gives any dates, but always the same after the same date.
struct FuzzedRule: TickRule {
  enum Answer {
    case none
    case at(Date)
    case after(TimeInterval)

    init(_ input: inout FuzzInput) {
      switch input.number(below: 4) {
      case 0: self = .none
      // NaN and dates long past among them.
      case 1: self = .at(Date(timeIntervalSinceReferenceDate: input.double()))
      default: self = .after(input.double())
      }
    }
  }

  let answers: [Answer]

  func nextTick(after date: Date) -> Date? {
    let bits = date.timeIntervalSinceReferenceDate.bitPattern &* 0x9E37_79B9_7F4A_7C15
    return switch answers[Int(bits >> 32) % answers.count] {
    case .none: nil
    case .at(let date): date
    case .after(let seconds): date + seconds
    }
  }
}
