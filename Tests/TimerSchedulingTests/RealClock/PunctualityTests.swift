import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.realClock), .limited)
struct PunctualityTests {
  @Test(.guarantee("G1")) func `Ten milliseconds for five seconds are never early and don't drift`() async {
    let scheduler = TimerScheduler()
    let start = ContinuousClock.now
    let timer = scheduler.timer(on: .every(.milliseconds(10)).limit(500))
    var deadlines = 0
    for await tick in timer.firings {
      deadlines += tick.missedCount + 1
      let elapsed = ContinuousClock.now - start
      // The timer was made no sooner than `start`.
      #expect(elapsed >= .milliseconds(10) * deadlines)
      #expect(tick.lateness >= .zero)
      let fired = elapsed - tick.lateness
      #expect(fired >= .milliseconds(10) * deadlines)
      // The deadline is the tick's place on the grid, however late the tick before it was.
      #expect(tick.date.timeIntervalSince(tick.scheduledDate) <= tick.lateness / .seconds(1) + 1e-6)
    }
    #expect(deadlines >= 500)
  }

  @Test func `Ticks keep the time of the wall clock`() async {
    let before = Date()
    var last = before
    for await date in TimerScheduler().ticks(every: 0.02, limit: 5) {
      #expect(date >= last)
      #expect(date <= Date())
      last = date
    }
    #expect(last >= before + 0.1)
  }

  @Test func `An aligned timer waits for its second on the wall clock`() async {
    var seconds: [Double] = []
    for await date in TimerScheduler().ticks(every: 0.25, starting: .aligned, limit: 3) {
      seconds.append(date.timeIntervalSince1970)
    }
    #expect(seconds == seconds.sorted())
    #expect(Set(seconds.map { ($0 / 0.25).rounded(.down) }).count == 3)
  }

  @Test(.guarantee("G1")) func `A timer for a date comes no sooner`() async {
    let date = Date() + 0.05
    for await tick in TimerScheduler().ticks(on: .at(date)) {
      #expect(tick >= date)
      #expect(Date() >= date)
    }
  }

  @Test func `The smallest interval ticks as often as it is asked to, and ends`() async {
    var last = Date.distantPast
    var count = 0
    for await date in TimerScheduler().ticks(every: .nanoseconds(1), limit: 2000) {
      #expect(date >= last)
      last = date
      count += 1
    }
    #expect(count == 2000)
  }

  @Test(.guarantee("G84")) func `A scheduler that isn't held ticks on`() async {
    var count = 0
    for await _ in TimerScheduler().ticks(every: .milliseconds(5), limit: 10) { count += 1 }
    #expect(count == 10)
  }

  /// Prints how late ticks reach a consumer, and how late a bare dispatch timer calls its handler.
  ///
  /// Runs only on request, and then alone: tests in child processes block threads on which consumers run.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TIMER_MEASURE"] != nil, "set TIMER_MEASURE=1"))
  func `The lateness at the consumer beside that of a bare dispatch timer`() async {
    var consumer: [Duration] = []
    var bare: [Duration] = []
    for _ in 0..<10 {
      consumer += await latenessOfStream(count: 25)
      bare += await latenessOfDispatchTimer(count: 25)
    }
    #expect(consumer.allSatisfy { $0 >= .zero })
    func percentile(_ share: Double, of values: [Duration]) -> Int {
      Int(values.sorted()[Int(Double(values.count - 1) * share)] / .microseconds(1))
    }
    for (name, values) in [("stream of ticks", consumer), ("dispatch timer", bare)] {
      let p50 = percentile(0.5, of: values)
      let p99 = percentile(0.99, of: values)
      print("Lateness of a \(name) at 10 ms: p50 \(p50) µs, p99 \(p99) µs")
    }
  }

  @concurrent private func latenessOfStream(count: Int) async -> [Duration] {
    var lateness: [Duration] = []
    let scheduler = TimerScheduler()
    let start = ContinuousClock.now
    for await _ in scheduler.ticks(every: .milliseconds(10), missedTicks: .burst, limit: count) {
      lateness.append(ContinuousClock.now - start - .milliseconds(10) * (lateness.count + 1))
    }
    return lateness
  }

  @concurrent private func latenessOfDispatchTimer(count: Int) async -> [Duration] {
    let calls = Journal<Duration>()
    let timer = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue(label: "bare"))
    let start = ContinuousClock.now
    timer.setEventHandler { @Sendable in calls.note(ContinuousClock.now - start) }
    timer.schedule(
      deadline: .now() + .milliseconds(10), repeating: .milliseconds(10), leeway: .nanoseconds(0))
    timer.activate()
    var lateness: [Duration] = []
    while lateness.count < count, let elapsed = await calls.next() {
      lateness.append(elapsed - .milliseconds(10) * (lateness.count + 1))
    }
    timer.cancel()
    return lateness
  }
}
