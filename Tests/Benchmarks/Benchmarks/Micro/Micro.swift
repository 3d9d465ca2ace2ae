// Measures the cost of single operations, in nanoseconds of processor time.
//
//     swift package --package-path Tests/Benchmarks benchmark --target Micro

import Benchmark
import TimerScheduling

let benchmarks: @Sendable () -> Void = {
  measure("cancel a timer with an action, schedule another", of: { $0.timer() }) { timer, maker in
    timer.cancel()
    timer = maker.timer()
  }
  measure("drop a stream, make another", of: { $0.stream() }) { stream, maker in
    stream = maker.stream()
  }
  measure("reschedule", of: { $0.timer() }) { timer, maker in
    timer.reschedule(maker.schedule())
  }
  measure("pause and resume", of: { $0.timer() }) { timer, _ in
    timer.pause()
    timer.resume()
  }
  measure("ask for the state", of: { $0.timer() }) { timer, _ in
    blackHole(timer.state)
  }
  measure("ask for the next date", of: { $0.timer() }) { timer, _ in
    blackHole(timer.nextDate)
  }
  measure("ask for a countdown's value", of: { $0.countdown() }) { countdown, _ in
    blackHole(countdown.value)
  }
}
