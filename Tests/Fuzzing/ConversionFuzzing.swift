import Foundation

/// Numbers of any bit pattern become nanoseconds: the nearest ones, in order, and the ends beyond them.
func fuzzConversions(_ input: inout FuzzInput) {
  switch input.number(below: 4) {
  case 0: fuzzDurations(input.duration(), input.duration())
  case 1: fuzzSeconds(input.double(), input.double())
  case 2: fuzzDates(input.date(), input.date())
  default: fuzzDeadlines(input.deadline(), input.deadline())
  }
}

private func fuzzDurations(_ one: Duration, _ other: Duration) {
  let (interval, otherInterval) = (Interval(one), Interval(other))
  require((one > .zero) == (interval > .zero), "\(one) becomes \(interval)")
  require((one < .zero) == (interval < .zero), "\(one) becomes \(interval)")
  require(
    one < other ? interval <= otherInterval : interval >= otherInterval, "\(one) and \(other) change places")
  let (whole, fraction) = one.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  let nearest = Int64(clamping: whole + (abs(fraction) < 500_000_000 ? 0 : fraction.signum()))
  let isTiny = nearest == 0 && one != .zero
  require(isTiny || interval.nanoseconds == nearest, "\(one) becomes \(interval)")
}

private func fuzzSeconds(_ one: Double, _ other: Double) {
  guard !one.isNaN, !other.isNaN else { return }
  let (interval, otherInterval) = (Interval(seconds: one), Interval(seconds: other))
  require((one > 0) == (interval > .zero), "\(one) becomes \(interval)")
  require((one < 0) == (interval < .zero), "\(one) becomes \(interval)")
  require(
    one <= other ? interval <= otherInterval : interval >= otherInterval, "\(one) and \(other) change places")
  if one.magnitude < 9.2e9 {
    let error = abs(Double(interval.nanoseconds) / 1e9 - one)
    require(error <= max(1e-9, one.ulp), "\(one) becomes \(interval)")
  } else {
    require(interval.nanoseconds == (one < 0 ? .min : .max), "\(one) becomes \(interval)")
  }
}

private func fuzzDates(_ one: Date, _ other: Date) {
  let (deadline, otherDeadline) = (Deadline(one), Deadline(other))
  require(
    one <= other ? deadline <= otherDeadline : deadline >= otherDeadline, "\(one) and \(other) change places")
  guard deadline < .never, deadline.nanoseconds > .min else { return }
  let (seconds, back) = (one.timeIntervalSinceReferenceDate, Date(deadline).timeIntervalSinceReferenceDate)
  // If neighbors are farther apart than a nanosecond, they stay distinct.
  require(abs(back - seconds) <= (seconds.ulp > 1e-9 ? 0 : 2e-9), "\(seconds) comes back as \(back)")
}

private func fuzzDeadlines(_ one: Deadline, _ other: Deadline) {
  let (date, otherDate) = (Date(one), Date(other))
  require(one <= other ? date <= otherDate : date >= otherDate, "\(one) and \(other) change places as dates")
  let distance = (one - other).nanoseconds
  let exact = Int128(one.nanoseconds) - Int128(other.nanoseconds)
  require(distance == Int64(clamping: exact), "\(one) - \(other) is \(distance)")
  let sum = Int128(one.nanoseconds) + Int128(other.nanoseconds)
  let interval = Interval(nanoseconds: other.nanoseconds)
  // An interval of the greatest length is one that never ends.
  let expected = interval == .max ? .never : Deadline(nanoseconds: Int64(clamping: sum))
  require(one + interval == expected, "\(one) + \(interval) is \(one + interval)")
  require((one - interval).nanoseconds == Int64(clamping: exact), "\(one) - \(interval) is \(one - interval)")
  let product = Int128(one.nanoseconds) * Int128(other.nanoseconds)
  require(
    one.nanoseconds.multipliedSaturated(by: other.nanoseconds) == Int64(clamping: product),
    "\(one) times \(other) isn't \(product)")
}
