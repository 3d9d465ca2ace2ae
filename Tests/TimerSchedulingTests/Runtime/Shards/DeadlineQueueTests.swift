import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G3")) struct DeadlineQueueTests {
  private static let operationCount = rounds(100_000)

  @Test(arguments: QueueProfile.all, SeededGenerator.seeds(1, 20_260_101, 0xFEED))
  func `Random operations give what sorted arrays give`(profile: QueueProfile, seed: UInt64) {
    print("DeadlineQueue: \(profile), TIMER_SEED=\(seed)")
    var run = QueueRun(profile: profile, seed: seed)
    let mismatch = run.perform(operations: Self.operationCount)

    #expect(mismatch == nil, "\(profile): replay with TIMER_SEED=\(seed)")
    // A run proves little unless entries came out in both ways and many were in the queue at once.
    #expect(run.poppedCount > Self.operationCount / 20)
    #expect(run.removedCount >= profile.removals * Self.operationCount / 500)
    #expect(run.movedCount >= profile.walls * Self.operationCount / 12_500)
    #expect(run.greatestCount > profile.crowd / 4)
  }

  // After an entry with a long tolerance, many near ones make the wheel place all its entries again.
  @Test func `A wheel that places its entries again leaves out those of the other clock, and unfiled ones`() {
    let queue = QueueBox<Int>()
    let hour: Int64 = 3_600_000_000_000
    for number in 0..<10 {
      queue.insert(number, on: .wall, at: Int64(number) * hour)
      _ = queue.add(-number)
    }
    queue.insert(100, at: hour)
    queue.insert(101, at: 1, tolerance: hour - 2)
    #expect(queue.popAll(at: 1) == [101])
    for number in 0..<200 { queue.insert(number, at: hour / 2) }

    #expect(queue.nearCount == 0)
    #expect(queue.invariantsHold())
    #expect(queue.popAll(at: hour / 2) == Array(0..<200))
    #expect(queue.popAll(on: .wall, at: .last) == Array(0..<10))
    #expect(queue.count == 11)
  }

  // Fails if an addition that finds the first shard's lock taken makes open shards after the end.
  @Test(arguments: [true, false])
  func `An entry goes to another shard while the first one's lock is held, but to none of a closed queue`(
    isClosed: Bool
  ) {
    let queue = QueueBox<Int>()
    if isClosed { queue.close() }
    #expect(queue.addBesideHolder(1) == !isClosed)
    #expect(queue.elements() == (isClosed ? [] : [1]))
  }
}
