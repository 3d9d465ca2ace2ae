import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Ended timers leave nothing behind. Measured in a process of its own.
@Suite(
  .tags(.realClock), .limited,
  .disabled(if: ProcessFacts.isUnderSanitizer, "The sanitizer keeps what was freed."),
  .guarantee("G89", "G127"))
struct MemoryTests {
  private static let timerCount = size(20_000, full: 100_000)

  @Test func `Two hundred thousand streams made and dropped leave nothing`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = TimerScheduler()
      var resident: [Int] = []
      for _ in 0..<3 {
        for _ in 0..<rounds(20, least: 4) {
          let streams = (0..<10_000).map { scheduler.ticks(every: .seconds(1 + $0), name: "\($0)") }
          #expect(await scheduler.timerCount == 10_000)
          withExtendedLifetime(streams) {}
        }
        #expect(await scheduler.timerCount == 0)
        #expect(scheduler.nameCount == 0)
        resident.append(ProcessFacts.residentBytes)
      }
      // The first round also fills the allocator's caches. In full size a leak of 40 bytes a timer would be 8
      // MB.
      #expect(resident[2] - resident[1] < 8_000_000)
    }
  }

  @Test(.guarantee("G125"))
  func `A scheduler takes less than three kilobytes, and its first timer less than five`() async {
    await #expect(processExitsWith: .success) {
      let clock = VirtualClock.manual()
      let count = 5_000
      // The first ones also fill the allocator's caches.
      var schedulers = (0..<count).map { _ in clock.makeScheduler() }
      var before = ProcessFacts.residentBytes
      schedulers += (0..<count).map { _ in clock.makeScheduler() }
      #expect((ProcessFacts.residentBytes - before) / count < 3_000)

      before = ProcessFacts.residentBytes
      var timers: [ScheduledTimer] = []
      for scheduler in schedulers.suffix(count) {
        timers.append(scheduler.timer(on: .after(.seconds(60))))
        // One after the other, so that Dispatch has few threads at work.
        await clock.advance(by: .zero)
      }
      #expect((ProcessFacts.residentBytes - before) / count < 5_000)
      withExtendedLifetime((schedulers, timers)) {}
    }
  }

  @Test func `Streams consumed to their end leave nothing`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = TimerScheduler()
      var resident: [Int] = []
      for _ in 0..<3 {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask {
              for _ in 0..<rounds(10_000) {
                for await _ in scheduler.ticks(every: .nanoseconds(1), limit: 2) {}
              }
            }
          }
        }
        #expect(await scheduler.timerCount == 0)
        resident.append(ProcessFacts.residentBytes)
      }
      // In full size a leak of 200 bytes a timer would be 8 MB.
      #expect(resident[2] - resident[1] < 8_000_000)
    }
  }

  @Test(.guarantee("G123")) func `A timer for a date takes as much memory as one for a delay`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = TimerScheduler()
      let date = Date.now + 86_400
      func growth(_ schedule: (Double) -> TimerSchedule) async -> Int {
        let before = ProcessFacts.residentBytes
        for number in 0..<Self.timerCount { scheduler.schedule(schedule(Double(number) / 100)) { _ in } }
        await scheduler.waitForQueue()
        return ProcessFacts.residentBytes - before
      }
      // The first also fills the allocator's caches.
      _ = await growth { .after(86_400 + $0) }
      let ofDelays = await growth { .after(86_400 + $0) }
      let ofDates = await growth { .at(date + $0) }
      // A timer in full takes three times as much.
      #expect(ofDates < 2 * ofDelays)
    }
  }

  @Test(.guarantee("G123"))
  func `Timers for a date take no more memory after the wall clock was set back`() async {
    await #expect(processExitsWith: .success) {
      let clock = VirtualClock()
      let scheduler = TimerScheduler(clock: clock)
      let date = clock.date + 86_400
      for number in 0..<Self.timerCount { scheduler.schedule(.at(date + Double(number))) { _ in } }
      #expect(await scheduler.timerCount == Self.timerCount)
      let before = ProcessFacts.residentBytes
      for _ in 0..<3 {
        await clock.setWallClock(to: clock.date - 3600)
        // The scheduler detects the end when it is woken for this.
        scheduler.schedule(.after(1)) { _ in }
        await clock.advance(by: .seconds(1))
        #expect(await scheduler.timerCount == Self.timerCount)
      }
      // Timers in full would take 460 bytes more each.
      #expect(ProcessFacts.residentBytes - before < 250 * Self.timerCount)
    }
  }
}
