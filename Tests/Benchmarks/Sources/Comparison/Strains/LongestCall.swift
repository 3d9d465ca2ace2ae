import Foundation
import TimerScheduling

/// The longest call of `schedule` and of `cancel` while a million timers are made and ended.
struct LongestCall {
  private static let count = 1_000_000

  private struct Longest {
    /// By the processor's time, and by the clock, which goes on while the system runs other work.
    var processor = 0.0
    var clock = 0.0

    mutating func note<Result>(_ call: () -> Result) -> Result {
      let (processorStart, start) = (Self.threadTime(), Uptime.now)
      let result = call()
      clock = max(clock, (Uptime.now - start).microseconds)
      processor = max(processor, Self.threadTime() - processorStart)
      return result
    }

    private static func threadTime() -> Double {
      // Two words for a `timespec`, whose members Swift 6.3.1 can't find in an optimized build.
      var time: (seconds: Int, nanoseconds: Int) = (0, 0)
      unsafe withUnsafeMutableBytes(of: &time) { bytes in
        guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: timespec.self) else { return }
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, address)
      }
      return Double(time.seconds) * 1e6 + Double(time.nanoseconds) / 1e3
    }
  }

  func run() -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    var generator = SeededGenerator()
    var (schedule, cancel) = (Longest(), Longest())
    var timers: [ScheduledTimer] = []
    timers.reserveCapacity(Self.count)
    for _ in 0..<Self.count {
      let delay = generator.delay(in: .seconds(60) ... .seconds(3600)).duration
      timers.append(schedule.note { scheduler.schedule(.after(delay)) { _ in } })
    }
    for timer in timers.shuffled(using: &generator) { cancel.note { timer.cancel() } }
    return [("schedule", schedule), ("cancel", cancel)].flatMap { name, longest in
      [
        Strain.Finding(
          title: "longest \(name) of a million, processor time", value: longest.processor, unit: "µs",
          aim: "at most 100"),
        Strain.Finding(title: "longest \(name) of a million, on the clock", value: longest.clock, unit: "µs"),
      ]
    }
  }
}
