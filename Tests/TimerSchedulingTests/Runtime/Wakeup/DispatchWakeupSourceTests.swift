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

  @Test(.hazard("M7", "Z3"))
  func `Every sequence of up to four events keeps the calls balanced on a source that repeats`() async {
    await #expect(processExitsWith: .success) {
      let events = SourceEvent.alphabet + [SourceEvent.armAnHourLater]
      let sequences = SourceEvent.sequences(upTo: 4, of: events).map { SourceEvent.steady + $0 }
      #expect(sequences.count == 5 + 25 + 125 + 625)
      // Twice, since a sequence's place decides on its clock.
      exitAfter(driving: sequences.flatMap { [$0, $0] })
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

  // MARK: Repeating

  private static func periods(_ count: Int) -> Interval { Interval(.milliseconds(10 * count)) }

  @Test(arguments: timelines, [false, true])
  func `After two equal distances a source fires again, without a call and with calls for its deadlines`(
    timeline: Timeline, isArmed: Bool
  ) async {
    let alarm = Alarm(on: timeline)
    let start = await alarm.beginRepeating(every: Self.periods(1), from: timeline.now)
    for count in 1...6 {
      // This moment has passed. A source that was set for it would fire at once, and so before its time.
      if isArmed, count > 3 { alarm.source.arm(at: start + Self.periods(count - 3)) }
      let deadline = start + Self.periods(count)
      // A source that fires once would leave the test waiting.
      let wakeup = await alarm.nextWakeup()
      #expect(wakeup.map { $0 >= deadline } == true)
    }
  }

  @Test(arguments: timelines)
  func `A repeating source wakes for an earlier deadline`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let hour = Interval(.seconds(3600))
    let last = await alarm.beginRepeating(every: hour, from: timeline.now - hour - hour)
    alarm.source.arm(at: last + hour)
    let deadline = timeline.now + Interval(.milliseconds(20))
    alarm.source.arm(at: deadline)
    // A source that kept to its period would wake in an hour.
    let wakeup = await alarm.nextWakeup()
    #expect(wakeup.map { $0 >= deadline } == true)
  }

  @Test(arguments: timelines)
  func `A repeating source doesn't wake before a deadline at another distance`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let last = await alarm.beginRepeating(every: Self.periods(1), from: timeline.now)
    let deadline = last + Self.periods(3)
    let count = alarm.countBefore { $0.arm(at: deadline) }
    let wakeup = await alarm.wakeup(after: count)
    #expect(wakeup.map { $0 >= deadline } == true)
  }

  @Test(arguments: timelines)
  func `A repeating source wakes once for a deadline that has passed`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let witness = Alarm(on: timeline, queue: alarm.queue)
    let last = await alarm.beginRepeating(every: Self.periods(1), from: timeline.now)
    let count = alarm.countBefore { $0.arm(at: last) }
    let wakeup = await alarm.wakeup(after: count)
    #expect(wakeup != nil)
    witness.source.arm(at: timeline.now + Self.periods(5))
    await witness.nextWakeup()
    #expect(alarm.wakeupCount == count + 1)
  }

  @Test(arguments: timelines)
  func `A repeating source that is disarmed doesn't wake until it is armed`(timeline: Timeline) async {
    let alarm = Alarm(on: timeline)
    let witness = Alarm(on: timeline, queue: alarm.queue)
    let last = await alarm.beginRepeating(every: Self.periods(1), from: timeline.now)
    let count = alarm.countBefore { $0.disarm() }
    witness.source.arm(at: timeline.now + Self.periods(5))
    await witness.nextWakeup()
    #expect(alarm.wakeupCount == count)

    // At the old distance, at which the source doesn't fire any more by itself.
    alarm.source.arm(at: last + Self.periods(1))
    let wakeup = await alarm.wakeup(after: count)
    #expect(wakeup != nil)
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

  /// Makes a call on the queue, where no wakeup is under way. Returns the number of wakeups before it.
  func countBefore(_ call: (DispatchWakeupSource) -> Void) -> Int {
    queue.sync {
      call(source)
      return wakeups.entries.count
    }
  }

  /// Returns when the source's handler was called.
  @discardableResult
  func nextWakeup() async -> Deadline? { await wakeups.next() }

  /// Returns when the source's handler was called after so many other calls.
  func wakeup(after count: Int) async -> Deadline? {
    while wakeupCount <= count {
      guard await nextWakeup() != nil else { return nil }
    }
    return wakeups.entries[count]
  }

  /// Arms three deadlines, each a period after the other when that has come. Returns the third, from which on
  /// the source repeats.
  func beginRepeating(every period: Interval, from first: Deadline) async -> Deadline {
    let third = first + period + period
    for deadline in [first, first + period, third] {
      source.arm(at: deadline)
      await nextWakeup()
    }
    return third
  }
}

extension Timeline {
  fileprivate var now: Deadline {
    switch self {
    case .monotonic: Deadline(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds))
    case .wall: Deadline(Date())
    }
  }
}
