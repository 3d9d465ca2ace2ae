import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Tests of processes that don't replace Swift's executors. Apple's platforms don't allow that.
@Suite(.limited, .guarantee("G149")) struct WithoutProxiesTests {
  @Test
  func `A view model whose timer makes tasks has all of their results`() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("TIMER_SCHEDULING_WITHOUT_PROXIES", "1", 1)
      for _ in 0..<rounds(1_000) {
        let clock = VirtualClock(settlingTimeout: .seconds(60))
        let scheduler = TimerScheduler(clock: clock)
        let model = Model()
        scheduler.schedule(.every(1).limit(5)) { @MainActor _ in model.tick() }
        await clock.advance(by: .seconds(10))
        let count = await model.count
        #expect(count == 5)
      }
    }
  }

  @Test func `Loops, streams that the test feeds and added tasks are settled`() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("TIMER_SCHEDULING_WITHOUT_PROXIES", "1", 1)
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let scheduler = TimerScheduler(clock: clock)
      let (log, fed) = (Journal<Duration>(), Counter())
      let (numbers, feed) = AsyncStream.makeStream(of: Int.self)
      let loop = Task { for await _ in scheduler.ticks(every: 1) { log.note(clock.now.offset) } }
      let consumer = Task { for await _ in numbers { fed.add() } }
      clock.addTask {
        for _ in 0..<10 { try? await clock.sleep(for: .seconds(2)) }
        log.note(.zero)
      }
      for number in 1...100 {
        feed.yield(number)
        await clock.advance(by: .seconds(1))
        #expect(fed.value == number)
      }
      #expect(log.entries.filter { $0 != .zero } == (1...100).map { .seconds($0) })
      #expect(log.entries.count == 101)
      #expect(clock.settlingTimeoutCount == 0)
      loop.cancel()
      consumer.cancel()
    }
  }

  @Test
  func `Time moves by itself, but sleeps of Swift's own clocks are real`() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("TIMER_SCHEDULING_WITHOUT_PROXIES", "1", 1)
      try await withVirtualClock { clock in
        let scheduler = TimerScheduler(clock: clock)
        let count = Counter()
        scheduler.schedule(.every(60)) { @MainActor _ in count.add() }
        try await clock.sleep(for: .seconds(3600))
        #expect(count.value == 60)
        let began = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(20))
        #expect(ContinuousClock.now - began >= .milliseconds(20))
        #expect(clock.now.offset == .seconds(3600))
      }
    }
  }
}

@MainActor private final class Model {
  private(set) var count = 0

  func tick() {
    Task { count += 1 }
  }
}
