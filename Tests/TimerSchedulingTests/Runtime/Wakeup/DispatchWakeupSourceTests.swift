import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling

// An unbalanced call on a source ends the process, so the tests that make calls in every order use a child
// process.

@Suite(.tags(.realClock, .threads), .limited, .guarantee("G106")) struct DispatchWakeupSourceTests {
  @Test(.hazard("M7", "Z3"))
  func `Every sequence of up to six events keeps the calls on a real source balanced`() async {
    await #expect(processExitsWith: .success) {
      let sequences = SourceEvent.sequences(upTo: 6)
      #expect(sequences.count == 4 + 16 + 64 + 256 + 1_024 + 4_096)
      exitAfter(driving: sequences)
    }
  }

  @Test func `Deadlines at the ends of time don't trap`() async {
    await #expect(processExitsWith: .success) {
      let ends: [Int64] = [.min, -1, 0, 1, (1 << 62) - 1, 1 << 62, 1 << 62 + 1, .max - 1, .max]
      let deadlines = ends.map { SourceEvent.arm(Deadline(nanoseconds: $0)) }
      // Twice, since a sequence's place decides on its clock.
      let sequences = deadlines.flatMap { arm in
        [[arm], [arm], [arm, .disarm, arm], [arm, .disarm, arm], deadlines + [arm], deadlines + [arm]]
      }
      exitAfter(driving: sequences)
    }
  }

  private static let timelines = [Timeline.monotonic, .wall]

  @Test(arguments: timelines, [.min, -1, 0, 1, 1_000_000] as [Int64])
  func `A deadline in the past wakes at once`(timeline: Timeline, nanoseconds: Int64) async {
    let alarm = Alarm(on: timeline)
    alarm.source.arm(at: Deadline(nanoseconds: nanoseconds))
    await alarm.nextWakeup()
  }

  @Test(arguments: timelines)
  func `A source doesn't wake before its deadline`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let deadline = timeline.now + Interval(.milliseconds(20))
    alarm.source.arm(at: .never)
    alarm.source.arm(at: deadline)
    let wakeup = await alarm.nextWakeup()
    #expect(wakeup.map { $0 >= deadline } == true)
  }

  @Test(arguments: timelines)
  func `A deadline that has come wakes again when it is armed again`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let past = timeline.now
    for _ in 0..<3 {
      alarm.source.arm(at: past)
      await alarm.nextWakeup()
    }
  }

  // A deadline whose high bits select another clock would wake at once, long before the witness.
  @Test(arguments: timelines, [1 << 61, (1 << 62) - 1, 1 << 62, 1 << 62 + 1, .max - 1, .max] as [Int64])
  func `The far future doesn't wake`(timeline: Timeline, nanoseconds: Int64) async {
    let far = Alarm(on: timeline)
    let witness = Alarm(on: timeline, queue: far.queue)
    far.source.arm(at: Deadline(nanoseconds: nanoseconds))
    witness.source.arm(at: timeline.now + Interval(.milliseconds(20)))
    await witness.nextWakeup()
    #expect(far.wakeupCount == 0)
  }

  @Test(arguments: timelines)
  func `A disarmed source doesn't wake`(timeline: Timeline) async {
    let disarmed = Alarm(on: timeline)
    let witness = Alarm(on: timeline, queue: disarmed.queue)
    // Nothing is delivered between the arming and the disarming.
    disarmed.queue.suspend()
    disarmed.source.arm(at: timeline.now)
    disarmed.source.disarm()
    disarmed.queue.resume()
    witness.source.arm(at: timeline.now + Interval(.milliseconds(20)))
    await witness.nextWakeup()
    #expect(disarmed.wakeupCount == 0)

    disarmed.source.arm(at: timeline.now)
    await disarmed.nextWakeup()
  }
}

private final class Alarm {
  let queue: DispatchQueue
  let source: DispatchWakeupSource
  private let wakeups = Journal<Deadline>()

  init(on timeline: Timeline, queue: DispatchQueue = DispatchQueue(label: "alarm")) {
    self.queue = queue
    source = DispatchWakeupSource(on: timeline, queue: queue) { [wakeups] in wakeups.note(timeline.now) }
  }

  var wakeupCount: Int { wakeups.entries.count }

  /// Returns when the source's handler was called.
  @discardableResult
  func nextWakeup() async -> Deadline? { await wakeups.next() }
}

extension Timeline {
  fileprivate var now: Deadline {
    switch self {
    case .monotonic: Deadline(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds))
    case .wall: Deadline(Date())
    }
  }
}
