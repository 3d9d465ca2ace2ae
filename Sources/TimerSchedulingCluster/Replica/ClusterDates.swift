package import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingFoundation

/// The dates of a schedule, which are the same on every replica.
package struct ClusterDates: Sendable {
  private enum Source: Sendable {
    /// `origin` and every `step` microseconds after it, and also before it if `isEndless`.
    case grid(origin: Int64, step: Int64, isEndless: Bool)
    case once(StoreTime)
    case rule(any TickRule)
  }

  private let source: Source
  private let end: StoreTime?
  private let isBurst: Bool
  private let catchUp: Duration
  /// The text of the schedule at the store: of the dates, but not of the treatment of missed ones.
  package private(set) var fingerprint: String

  package init(_ schedule: TimerSchedule, catchUp: Duration) throws(ClusterError) {
    func refusal(_ reason: String) -> ClusterError {
      .scheduleNotAgreed(schedule: schedule.description, reason: reason)
    }
    switch schedule.cadence {
    case .every(let interval, _) where interval.nanoseconds % 1000 != 0:
      throw refusal("the interval isn't a whole number of microseconds")
    case .every(let interval, .aligned(let offset)):
      source = .grid(origin: offset.wholeMicroseconds, step: interval.nanoseconds / 1000, isEndless: true)
    case .every(let interval, .at(let date)):
      let origin = StoreTime(date).microseconds
      source = .grid(origin: origin, step: interval.nanoseconds / 1000, isEndless: false)
    case .every, .once: throw refusal("its dates count from the moment at which each replica starts")
    case .onceAt(let date): source = .once(StoreTime(date))
    case .rule(let rule):
      guard Self.hasSameTextEverywhere(rule) else {
        throw refusal(
          """
          its rule has no text that replicas can compare. Give your own rule a description (CustomStringConvertible) \
          of all that its dates depend on, and use that instead of a closure
          """)
      }
      source = .rule(rule)
    case .countdown, .countdownUntil: throw refusal("a countdown belongs to one replica")
    }
    guard schedule.options.missedTicks != .delay else {
      throw refusal("with .missedTicks(.delay) the dates depend on how late a replica is")
    }
    isBurst = schedule.options.missedTicks == .burst
    guard schedule.options.limit == nil else { throw refusal("a limit counts the ticks of one replica") }
    end = schedule.options.until.map { StoreTime(Date($0)) }
    self.catchUp = catchUp
    var dates = TimerSchedule(cadence: schedule.cadence)
    dates.options.until = schedule.options.until
    fingerprint = dates.description
  }

  /// Reads the schedule of a job that was put, whose text at the store is all of it.
  package init(text: String, catchUp: Duration) throws(ClusterError) {
    let schedule: TimerSchedule
    do {
      schedule = try text.hasPrefix("cron ") ? TimerSchedule(parsingCron: text) : TimerSchedule(parsing: text)
    } catch {
      throw .scheduleNotAgreed(schedule: text, reason: "its text can't be read back: \(error)")
    }
    try self.init(schedule, catchUp: catchUp)
    fingerprint = text
  }

  /// Whether equal rules have the same text in all processes, and rules with different properties have
  /// different texts. Swift prints a closure as "(Function)", an object as its type's name, and a set in
  /// another order in each process.
  private static func hasSameTextEverywhere(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    if value is any WrittenRule { return true }
    let isDescribed = value is any CustomStringConvertible && !(value is any CombinedRule)
    switch mirror.displayStyle {
    case .set, .dictionary: return false
    case .class, .foreignReference: return isDescribed
    case .struct, .enum: if isDescribed { return true }
    case .tuple, .optional, .collection: break
    case nil: if mirror.children.isEmpty { return isDescribed }
    @unknown default: return isDescribed
    }
    return mirror.children.allSatisfy { hasSameTextEverywhere($0.value) }
  }

  /// Returns the first date after a moment, or nil if there is none up to `last`.
  package func date(after time: StoreTime, through last: StoreTime? = nil) -> StoreTime? {
    unlimitedDate(after: time).flatMap { $0 <= end ?? $0 && $0 <= last ?? $0 ? $0 : nil }
  }

  private func unlimitedDate(after time: StoreTime) -> StoreTime? {
    switch source {
    case .grid(let origin, let step, let isEndless):
      let time = time.microseconds
      if time < origin, !isEndless { return StoreTime(microseconds: origin) }
      // Both are less than a step, and neither their difference nor its sum with a step overflows.
      let past = ((time % step - origin % step) % step + step) % step
      let (next, isTooLate) = time.addingReportingOverflow(step - past)
      return isTooLate ? nil : StoreTime(microseconds: next)
    case .once(let date): return date > time ? date : nil
    case .rule(let rule):
      var argument = time.date
      // A date less than a microsecond later counts as the same moment.
      for _ in 0..<3 {
        guard let date = rule.nextTick(after: argument), date > argument else { return nil }
        if StoreTime(date) > time { return StoreTime(date) }
        argument = date
      }
      return nil
    }
  }

  /// Returns the end of a run if its action returns, or if it has no date to run.
  ///
  /// The date to run is the newest or, in a burst, the oldest that isn't older than `until` by more than the
  /// time to catch up. If there is none, the one that an operator has asked for is run. A date that is too
  /// old to be begun `now` has no run.
  package func plannedEnd(of claim: ClaimedRun, attempts: Int, now: StoreTime? = nil) -> RunEnd {
    let (from, until) = (claim.from, claim.until)
    let options = claim.options ?? JobOptions()
    var end = RunEnd(token: claim.token, outcome: .settled, through: until, schedule: fingerprint, missed: 0)
    // The dates of a range that was begun by another schedule are that one's.
    guard claim.schedule == fingerprint else {
      end.next = date(after: until)
      end.skipped = [SkippedDates(from: from, through: until, reason: .scheduleChanged, note: claim.schedule)]
      return end
    }
    var chosen: StoreTime?
    if let first = date(after: from.previous, through: until) {
      chosen =
        isBurst
        ? date(
          after: max(first, until - min(catchUp, options.within.map { .microseconds($0) } ?? catchUp))
            .previous, through: until)
        : newest(from: first, through: until)
      if chosen != first {
        let last = newest(from: first, through: chosen?.previous ?? until)
        end.missed = count(from: first, through: last)
        end.skipped = [SkippedDates(from: from, through: last, reason: isBurst ? .tooOld : .newerDate)]
      }
      if isBurst, let chosen { end.through = chosen }
    }
    end.next = date(after: end.through)
    if chosen == nil, let asked = claim.asked {
      end.asked = asked.id
      let isDate = asked.from == asked.through
      chosen = isDate ? asked.from : date(after: asked.from.previous, through: asked.through)
      // The schedule may have changed, so a rest without dates is kept. But a rest of one moment would be run
      // as a date.
      if let chosen, !isDate, chosen.next < asked.through || date(after: chosen) == asked.through {
        end.askedRest = chosen.next
      }
      // A later attempt has the schedule of the first one, which may have been changed since then.
      if chosen == nil, claim.attempt > 1 { end.asked = nil }
    }
    if let chosen, end.asked == nil, options.isTooOld(chosen, at: now ?? until) {
      end.skipped.append(SkippedDates(from: chosen, through: chosen, reason: .tooOld))
    } else if let chosen, claim.attempt <= attempts {
      (end.outcome, end.date) = (.done, chosen)
    } else if let chosen {
      end.skipped.append(SkippedDates(from: chosen, through: chosen, reason: .attemptsUsedUp))
    }
    return end
  }

  /// Returns the newest date up to a moment, of which `first` is one. Each step halves the time in which it
  /// may be.
  private func newest(from first: StoreTime, through last: StoreTime) -> StoreTime {
    var (newest, last) = (first, last)
    // Most often there is no other.
    var middle = newest
    while newest < last {
      if let date = date(after: middle, through: last) { newest = date } else { last = middle }
      middle = newest + (last - newest) / 2
    }
    return newest
  }

  /// The number up to which dates of a rule are counted.
  package static let countLimit = 10_000

  /// Returns the number of dates up to a moment, of which `first` is one.
  private func count(from first: StoreTime, through last: StoreTime) -> Int {
    if case .grid(_, let step, _) = source {
      let last = min(last, end ?? last)
      return Int(max(0, last.microseconds.subtractingSaturated(first.microseconds)) / step) + 1
    }
    var (date, count) = (first, 1)
    while count < Self.countLimit, let next = self.date(after: date, through: last) {
      (date, count) = (next, count + 1)
    }
    return count
  }
}
