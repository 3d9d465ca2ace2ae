import Testing
import TimerScheduling

@Suite struct RunCostTests {
  /// Notes runs of so many nanoseconds each, on several workers, until a sample has been taken.
  private func note(
    _ nanoseconds: UInt64, on workerCount: Int = 1, in cost: inout RunCost, from start: inout UInt64
  ) {
    var count: UInt64 = 1
    while !cost.begin() { count += 1 }
    start += nanoseconds * count / UInt64(workerCount)
    cost.sample(at: start, workerCount: workerCount)
  }

  @Test func `At first runs are taken to be long, so that they get several workers`() {
    let cost = RunCost()
    #expect(cost.favorsSeveralWorkers == true)
    #expect(cost.isWorthStart(waitingCount: 1))
  }

  @Test func `A sample is taken of 64 runs`() {
    var cost = RunCost()
    let isDue = (1...64).map { _ in cost.begin() }
    #expect(isDue.firstIndex(of: true) == 63)
  }

  @Test(arguments: [1, 4]) func `Short runs bring the estimate down at once`(workerCount: Int) {
    var (cost, now) = (RunCost(), UInt64(1_000_000))
    cost.resume(at: now)
    note(1_000, on: workerCount, in: &cost, from: &now)
    #expect(cost.nanoseconds == 1_000)
    #expect(cost.favorsSeveralWorkers == false)
    #expect(!cost.isWorthStart(waitingCount: 49))
    #expect(cost.isWorthStart(waitingCount: 50))
  }

  @Test func `Long runs raise the cost step by step, as one of them may have been preempted`() {
    var (cost, now) = (RunCost(), UInt64(0))
    note(1_000, in: &cost, from: &now)
    note(1_000_000, in: &cost, from: &now)
    #expect(cost.nanoseconds == 2_000)
    for _ in 0..<20 { note(1_000_000, in: &cost, from: &now) }
    #expect(cost.nanoseconds > 500_000)
    #expect(cost.favorsSeveralWorkers == true)
  }

  @Test func `Between the bounds the number of workers stays as it is`() {
    var (cost, now) = (RunCost(), UInt64(0))
    note(4_000, in: &cost, from: &now)
    #expect(cost.favorsSeveralWorkers == nil)
  }

  @Test func `The time in which nothing runs doesn't count`() {
    var (cost, now) = (RunCost(), UInt64(0))
    note(1_000, in: &cost, from: &now)
    cost.pause(at: now)
    now += 1_000_000_000
    cost.resume(at: now)
    note(1_000, in: &cost, from: &now)
    #expect(cost.nanoseconds == 1_000)
  }

  @Test func `Workers that get nowhere make runs long at once`() {
    var (cost, now) = (RunCost(), UInt64(0))
    note(1_000, in: &cost, from: &now)
    cost.stalled(for: 2_000_000, until: now)
    #expect(cost.nanoseconds == 2_000_000)
  }
}
