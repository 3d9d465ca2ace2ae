import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// How long the sleeps of Swift's own clocks last in a body: rule T1.
@Suite(.limited, .guarantee("G150", "G201")) struct ExactSleepTests {
  // MARK: K1

  @Test func `A sleep ends before the tick that is due a millisecond later, beside busy threads`()
    async throws
  {
    try await BusyLoops.run {
      for _ in BusyLoops.rounds {
        let (count, offset) = try await withVirtualClock { clock in
          let (scheduler, count) = (TimerScheduler(clock: clock), Counter())
          scheduler.schedule(every: 1) { _ in count.add() }
          try await Task.sleep(for: .milliseconds(999))
          return (count.value, clock.now.offset)
        }
        #expect(count == 0)
        #expect(offset == .milliseconds(999))
        if offset != .milliseconds(999) { break }
      }
    }
  }

  @Test(arguments: [
    (2_000, 999_000), (2_000, 59_999_000), (20_000, 1_234_000), (60_000, 950_000), (1_000, 1_500),
  ])
  func `A sleep after work in the same job lasts for its length`(work: Int, sleep: Int) async throws {
    try await withVirtualClock { clock in
      compute(for: .microseconds(work))
      try await Task.sleep(for: .microseconds(sleep))
      #expect(clock.now.offset == .microseconds(sleep))
    }
  }

  @Test func `A thousand sleeps, one after the other, last a thousand times as long as one`() async throws {
    try await BusyLoops.run {
      for _ in 0..<rounds(100) {
        let offset = try await withVirtualClock { clock in
          for _ in 0..<1_000 { try await Task.sleep(for: .milliseconds(1_234)) }
          return clock.now.offset
        }
        #expect(offset == .seconds(1_234))
        if offset != .seconds(1_234) { break }
      }
    }
  }

  @Test func `Sleeps of odd lengths are exact to the nanosecond, in each form`() async throws {
    var random = SeededGenerator(seed: 68)
    let lengths = (0..<200).map { _ in max(1_000, random.magnitude(bits: 10...44)) }
    try await withVirtualClock { clock in
      var sum = Duration.zero
      for (round, length) in lengths.enumerated() {
        let duration = Duration.nanoseconds(length)
        switch round % 5 {
        case 0: try await Task.sleep(for: duration)
        case 1: try await Task.sleep(nanoseconds: UInt64(length))
        case 2: try await Task.sleep(until: .now + duration, clock: .continuous)
        case 3: try await Task.sleep(until: .now + duration, tolerance: .seconds(1), clock: .suspending)
        default: try await ContinuousClock().sleep(for: duration)
        }
        sum += duration
        #expect(clock.now.offset == sum)
      }
    }
  }

  @Test(arguments: Birth.allCases)
  func `The sleeps of all tasks that a body makes are virtual`(birth: Birth) async throws {
    try await withVirtualClock { clock in
      // A loop that runs away if time moves while another task is under way.
      let scheduler = TimerScheduler(clock: clock)
      let loop = Task { for await _ in scheduler.ticks(every: 0.25) {} }
      await birth.run(on: clock) {
        #expect(clock.now.offset == .zero)
        try? await Task.sleep(for: .milliseconds(1_234))
        #expect(clock.now.offset == .milliseconds(1_234))
      }
      #expect(clock.now.offset == .milliseconds(1_234))
      loop.cancel()
    }
  }
}
