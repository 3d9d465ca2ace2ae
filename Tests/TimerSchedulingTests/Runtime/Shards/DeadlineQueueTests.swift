import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G3")) struct DeadlineQueueTests {
  @Test(arguments: QueueProfile.all, SeededGenerator.seeds(1, 20_260_101, 0xFEED))
  func `Random operations give what sorted arrays give`(profile: QueueProfile, seed: UInt64) {
    print("DeadlineQueue: \(profile), TIMER_SEED=\(seed)")
    var run = QueueRun(profile: profile, seed: seed)
    let mismatch = run.perform(operations: rounds(100_000))

    #expect(mismatch == nil, "\(profile): replay with TIMER_SEED=\(seed)")
    // A run proves little unless entries came out in both ways and many were in the queue at once.
    #expect(run.poppedCount > rounds(5_000))
    #expect(run.removedCount >= profile.removals * rounds(400) / 2)
    #expect(run.movedCount >= profile.walls * rounds(400) / 50)
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
    #expect(queue.popExpired(on: .monotonic, at: Deadline(nanoseconds: 1)) == 101)
    for number in 0..<200 { queue.insert(number, at: hour / 2) }

    #expect(queue.nearCount == 0)
    #expect(queue.invariantsHold())
    #expect(queue.popAll(at: hour / 2) == Array(0..<200))
    for number in 0..<10 { #expect(queue.popExpired(on: .wall, at: .never) == number) }
    #expect(queue.count == 11)
  }
}

/// The operations of a run, with their frequencies.
struct QueueProfile: Sendable, CustomStringConvertible {
  var description: String
  /// Percentages of the operations; the others advance the time.
  var insertions = 50
  var removals = 12
  var reschedules = 12
  /// Percentage of the deadlines that are on the wall clock.
  var walls = 0
  /// Percentage of the elements that stay without a deadline when theirs is taken or replaced.
  var lingering = 0
  /// Percentage of the advances that set the time back.
  var setbacks = 0
  /// The bits of the distance from now to a new deadline.
  var reach = 0...40
  /// The bits of a tolerance, and the percentage of entries that have one.
  var tolerance = 0...30
  var tolerant = 0
  /// The bits of a step in time.
  var step = 0...32
  /// About how many entries live at once.
  var crowd = 500

  static let all = [
    QueueProfile(description: "exact"),
    QueueProfile(description: "tolerant", tolerant: 70),
    QueueProfile(description: "without removal", removals: 0, reschedules: 0, tolerant: 30),
    QueueProfile(
      description: "far and wide, without removal", removals: 0, reschedules: 0, reach: 0...62,
      tolerance: 0...62, tolerant: 10, step: 0...55),
    QueueProfile(description: "far and wide", reach: 0...62, tolerance: 0...62, tolerant: 10, step: 0...55),
    QueueProfile(
      description: "one slot", insertions: 80, removals: 5, reschedules: 5, reach: 0...20, tolerance: 0...14,
      tolerant: 30, step: 0...10, crowd: 5_000),
    QueueProfile(description: "mostly removed", removals: 30, reschedules: 15, reach: 10...34, crowd: 1_000),
    QueueProfile(description: "time goes back", setbacks: 25, tolerant: 30),
    QueueProfile(
      description: "two clocks", insertions: 25, removals: 10, reschedules: 35, walls: 50, lingering: 30,
      setbacks: 5, tolerance: 0...35, tolerant: 20, step: 0...34, crowd: 80),
  ]
}
