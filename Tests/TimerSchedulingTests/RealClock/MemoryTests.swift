import Foundation
import Testing
import TimerScheduling

/// What ended timers leave behind: nothing. Seen in a process of its own.
@Suite(
  .tags(.realClock), .timeLimit(.minutes(30)),
  .disabled(if: ProcessFacts.isUnderSanitizer, "The sanitizer keeps what was freed."))
struct MemoryTests {
  @Test func `Two hundred thousand streams made and dropped leave nothing`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = TimerScheduler()
      var resident: [Int] = []
      for _ in 0..<3 {
        for _ in 0..<20 {
          let streams = (0..<10_000).map { scheduler.ticks(every: .seconds(1 + $0), name: "\($0)") }
          #expect(await scheduler.timerCount == 10_000)
          withExtendedLifetime(streams) {}
        }
        #expect(await scheduler.timerCount == 0)
        #expect(scheduler.nameCount == 0)
        resident.append(ProcessFacts.residentBytes)
      }
      // The first round also fills what the allocator keeps. A leak of 40 bytes a timer would be 8 MB.
      #expect(resident[2] - resident[1] < 8_000_000)
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
              for _ in 0..<10_000 {
                for await _ in scheduler.ticks(every: .nanoseconds(1), limit: 2) {}
              }
            }
          }
        }
        #expect(await scheduler.timerCount == 0)
        resident.append(ProcessFacts.residentBytes)
      }
      // A leak of 200 bytes a timer would be 8 MB.
      #expect(resident[2] - resident[1] < 8_000_000)
    }
  }
}
