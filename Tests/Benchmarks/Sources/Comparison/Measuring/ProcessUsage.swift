import Glibc

/// What all threads of the process have used so far.
struct ProcessUsage {
  /// User and system time.
  var cpu: Duration
  var voluntarySwitches: Int

  static var now: ProcessUsage {
    var usage = rusage()
    _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    return ProcessUsage(
      cpu: Duration(usage.ru_utime) + Duration(usage.ru_stime), voluntarySwitches: usage.ru_nvcsw)
  }

  /// Waits until the process has nothing left to do, and returns what it has used by then.
  ///
  /// It has when its CPU time grows by less than a tenth of the time that passes, three times in a row. Of a
  /// million timers due within an hour, hundreds fire every second, so it isn't idle even then.
  static func whenQuiet() -> ProcessUsage {
    let step = Delay(.milliseconds(20))
    var last = now
    var quietSteps = 0
    while quietSteps < 3 {
      let start = Uptime.now
      (start + step).wait()
      let current = now
      let isQuiet = (current.cpu - last.cpu) * 10 < (Uptime.now - start).duration
      quietSteps = isQuiet ? quietSteps + 1 : 0
      last = current
    }
    return last
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }

  var microseconds: Double { self / .microseconds(1) }
}
