import InMemoryLogging
import Logging
import Testing
import TimerLogging
import TimerScheduling
import TimerSchedulingTesting

@Suite struct LoggingTimerObserverTests {
  private let clock = VirtualClock()
  private let log = InMemoryLogHandler()
  private let scheduler: TimerScheduler

  init() {
    var configuration = TimerScheduler.Configuration()
    var handler = log
    handler.logLevel = .trace
    configuration.observer = LoggingTimerObserver(logger: Logger(label: "timers") { _ in handler })
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
  }

  @Test func `A timer's life is logged, with its name`() async {
    let timer = scheduler.schedule(.every(.seconds(1)), name: "job") { _ in throw Failure() }
    await clock.advance(by: .seconds(1))
    timer.pause()
    timer.resume()
    timer.reschedule(.every(.seconds(5)))
    timer.cancel()
    await clock.advance(by: .zero)
    #expect(
      log.entries.map { "\($0.level): \($0.message)" } == [
        "debug: Timer scheduled", "trace: Timer ticked", "error: Timer's action failed", "info: Timer paused",
        "info: Timer resumed", "trace: Timer rescheduled", "debug: Timer finished",
      ])
    #expect(log.entries.allSatisfy { $0.metadata["timer"] == "job" })
    #expect(log.entries[2].metadata["error"] == "Failure()")
    #expect(log.entries[6].metadata["reason"] == "cancelled")
  }

  // seconds     0    1    2    3    4
  // deadlines        |    |    |    |
  // stall       [==============]
  // ticks                      x    x
  @Test func `Missed deadlines are a warning`() async {
    scheduler.schedule(.every(.seconds(1)), name: "job") { _ in }
    await clock.stall(for: .seconds(3))
    await clock.advance(by: .seconds(1))
    let ticks = log.entries.filter { $0.metadata["missed"] != nil }
    #expect(ticks.map(\.level) == [.warning, .trace])
    #expect(ticks.map { $0.metadata["missed"] } == ["2", "0"])
  }

  @Test func `A timer without a name is logged by its number`() async {
    let timer = scheduler.schedule(.after(.seconds(1))) { _ in }
    await clock.advance(by: .seconds(1))
    #expect(!log.entries.isEmpty)
    #expect(log.entries.allSatisfy { $0.metadata["timer"] == "\(timer.id)" })
  }
}
