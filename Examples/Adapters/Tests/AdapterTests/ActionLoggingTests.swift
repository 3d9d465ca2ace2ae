import InMemoryLogging
import Logging
import Testing
import TimerLogging
import TimerScheduling
import TimerSchedulingTesting

@Test func `The beginning and the end of each run are logged, also of one that fails`() async {
  let log = InMemoryLogHandler()
  var handler = log
  handler.logLevel = .debug
  let logger = Logger(label: "timers") { [handler] _ in handler }
  var configuration = TimerScheduler.Configuration()
  configuration.interceptor = { _, body in
    logger.debug("Enclosed already")
    try await body()
  }
  configuration.logActions(to: logger)
  let clock = VirtualClock()
  let scheduler = TimerScheduler(clock: clock, configuration: configuration)
  let job = scheduler.schedule(.every(.seconds(1)).limit(2), name: "job") { tick in
    if tick.index == 1 { throw Failure() }
  }
  await clock.advance(by: .seconds(2))
  let once = ["Action began", "Enclosed already", "Action ended"]
  #expect(log.entries.map { "\($0.message)" } == once + once)
  #expect(log.entries[2].metadata == ["timer": "job", "index": "0"])
  #expect(log.entries[5].metadata == ["timer": "job", "index": "1", "error": "Failure()"])
  #expect(job.failure is Failure)
}
