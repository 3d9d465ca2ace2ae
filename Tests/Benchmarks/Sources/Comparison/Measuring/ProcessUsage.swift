import Glibc

/// The resources that all threads of the process have used so far.
struct ProcessUsage {
  /// By when.
  var time: Uptime
  /// User and system time.
  var cpu: Duration
  var voluntarySwitches: Int

  static var now: ProcessUsage {
    var usage = rusage()
    _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    return ProcessUsage(
      time: .now, cpu: Duration(usage.ru_utime) + Duration(usage.ru_stime), voluntarySwitches: usage.ru_nvcsw)
  }

  /// Waits until the process has nothing left to do, and returns its usage by then.
  ///
  /// It has when its CPU time grows by less than a fifth of the time that passes, three times in a row. Of a
  /// million timers due within an hour, hundreds fire every second, so it is never idle.
  static func whenQuiet() -> ProcessUsage {
    var quiet = now
    var quietSteps = 0
    while quietSteps < 3 {
      let last = now
      (last.time + Delay(.milliseconds(20))).wait()
      let current = now
      let isQuiet = (current.cpu - last.cpu) * 5 < (current.time - last.time).duration
      quietSteps = isQuiet ? quietSteps + 1 : 0
      if quietSteps <= 1 { quiet = current }
    }
    return quiet
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }

  var microseconds: Double { self / .microseconds(1) }
}
