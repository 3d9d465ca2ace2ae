public import TimerSchedulingFoundation

extension TimerSchedule {
  /// The first deadline of a repeating timer. The others follow at multiples of the interval.
  ///
  /// ``afterInterval``, ``immediately`` and ``after(_:)-(Duration)`` count from the moment at which a timer
  /// is made. ``at(_:)`` counts from a date, and ``aligned``, ``aligned(offset:)-(Duration)`` and
  /// ``spread(by:over:)-(_,Duration)`` from 1970: all processes and all restarts of a program have the same
  /// deadlines.
  ///
  /// ```swift
  /// let tenPast = TimerSchedule.every(.seconds(3600), starting: .aligned(offset: .seconds(600)))
  /// ```
  public struct Start: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
      case afterInterval
      case immediately
      case after(Duration)
      case at(Date)
      /// At multiples of the interval from 1970, each later by the offset.
      case aligned(offset: Duration)
    }

    let form: Form

    /// One interval after the timer is made.
    public static var afterInterval: Start { Start(form: .afterInterval) }

    /// The moment at which the timer is made, without a jitter.
    public static var immediately: Start { Start(form: .immediately) }

    /// At the next multiple of the interval on the wall clock.
    ///
    /// Multiples count from 1970 in Universal Time, so every 86,400 seconds means at midnight UTC. The ticks
    /// follow the wall clock. When it is set back, the multiples of the new time come, but the last tick
    /// isn't repeated.
    public static var aligned: Start { aligned(offset: .zero) }

    /// A delay after the timer is made. A delay below zero counts as zero.
    public static func after(_ delay: Duration) -> Start { Start(form: .after(delay)) }

    /// A finite delay in seconds after the timer is made. A delay below zero counts as zero.
    @_disfavoredOverload
    public static func after(_ seconds: TimeInterval) -> Start { after(.orStop(seconds: seconds)) }

    /// At a date on the wall clock, and at multiples of the interval from there.
    ///
    /// If the date has passed, one tick is due at once, for the newest multiple. The older aren't missed.
    public static func at(_ date: Date) -> Start { Start(form: .at(date)) }

    /// At multiples of the interval on the wall clock, each later by an offset.
    ///
    /// Every 3600 seconds with an offset of 600 means at ten past each hour. ``aligned`` has the offset zero.
    /// The schedule reduces the offset modulo its interval: -600 seconds mean ten to each hour, as 3000 do,
    /// and these schedules are equal. The reduced offset is rounded to the nearest microsecond, a half
    /// upwards. If that is the whole interval, the offset is zero. An interval of more than 292 years reduces
    /// no offset.
    public static func aligned(offset: Duration) -> Start { Start(form: .aligned(offset: offset)) }

    /// At multiples of the interval on the wall clock, each later by a finite number of seconds.
    @_disfavoredOverload
    public static func aligned(offset seconds: TimeInterval) -> Start {
      aligned(offset: .orStop(seconds: seconds))
    }

    /// At multiples of the interval on the wall clock, each later by an offset that belongs to a key.
    ///
    /// The timers of many keys are spread evenly over the interval. Each keeps its place on every machine and
    /// after every restart. ``TimerSchedule`` has the formula, which won't change.
    ///
    /// ```swift
    /// let interval = Duration.seconds(3600)
    /// let hourly = TimerSchedule.every(interval, starting: .spread(by: "tenant-1", over: interval))
    /// print(hourly)  // every 1 h, starting aligned offset 1838303579 us
    /// ```
    ///
    /// - Parameters:
    ///   - key: The timer's key, such as the name of a tenant. Its UTF-8 is hashed as given.
    ///   - interval: The time over which the keys are spread, normally the interval of the schedule.
    /// - Precondition: `interval` is greater than zero.
    /// - Complexity: O(*n*) in the length of the key.
    public static func spread(by key: String, over interval: Duration) -> Start {
      precondition(interval > .zero, "\(TimerScheduleError.notPositive(interval / .seconds(1)))")
      let microseconds = UInt64(Interval(interval).nanoseconds / 1000)
      return aligned(offset: .microseconds(UInt64(hashOf: key).scaled(below: microseconds)))
    }

    /// At multiples of the interval on the wall clock, spread by a key over a number of seconds above zero.
    @_disfavoredOverload
    public static func spread(by key: String, over seconds: TimeInterval) -> Start {
      spread(by: key, over: .orStop(seconds: seconds))
    }

    /// Returns the form of this start in a schedule, to the nanosecond. Starts at the same time are equal.
    package func bound(to interval: Interval) throws(TimerScheduleError) -> Form {
      switch form {
      case .afterInterval, .immediately: return form
      case .after(let delay): return .after(max(Interval(delay), .zero).duration)
      case .at(let date):
        guard !date.timeIntervalSinceReferenceDate.isNaN else { throw .notFinite(.nan) }
        let origin = date.cadenceOrigin
        let isReached = origin < Deadline.never.nanoseconds
        return .at(isReached ? Date(nanosecondsSince1970: origin) : .distantFuture)
      case .aligned(let offset):
        // The length of an endless interval isn't known.
        guard interval < .max else { return .aligned(offset: Interval(offset).duration) }
        let (microsecond, interval) = (1_000_000_000_000 as Int128, interval.duration)
        let remainder = offset.attoseconds.dividedRoundingDown(by: interval.attoseconds).remainder
        let phase = Duration(attoseconds: (remainder + microsecond / 2) / microsecond * microsecond)
        return .aligned(offset: phase < interval ? phase : .zero)
      }
    }
  }
}
