import Testing
import TimerScheduling
import TimerSchedulingTesting

// Nothing is marked, as in a new app of Xcode: by default, all code of this target runs on the main actor.

final class Stopwatch {
  private(set) var seconds = 0
  private(set) var lapCount = 0

  func start(on scheduler: TimerScheduler) {
    scheduler.schedule(every: 1, owner: self) { watch, _ in watch.count() }
    scheduler.schedule(after: 3) { _ in
      MainActor.assertIsolated()
      self.endLap()
    }
  }

  private func count() { seconds += 1 }

  private func endLap() { lapCount += 1 }
}

@Test func `A body runs on the main actor, and changes a local variable of its test`() async throws {
  let watch = Stopwatch()
  var readings: [Int] = []
  try await withVirtualClock { clock in
    watch.start(on: TimerScheduler(clock: clock))
    for _ in 0..<3 {
      #expect(watch.lapCount == 0)
      try await Task.sleep(for: .milliseconds(1_100))
      MainActor.assertIsolated()
      readings.append(watch.seconds)
    }
    #expect(watch.lapCount == 1)
  }
  #expect(readings == [1, 2, 3])
}

@Test func `A search runs its body on the main actor, and changes a local variable of its test`() async throws
{
  var runCount = 0
  let coverage = try await exploreOrders(0..<20) { clock in
    MainActor.assertIsolated()
    let watch = Stopwatch()
    watch.start(on: TimerScheduler(clock: clock))
    try await Task.sleep(for: .milliseconds(3_500))
    try #require(watch.seconds == 3)
    try #require(watch.lapCount == 1)
    runCount += 1
  }
  // The main actor runs all jobs here, in the order in which they come.
  #expect(coverage.orderCount == 1)
  #expect(runCount >= coverage.orderCount)
}
