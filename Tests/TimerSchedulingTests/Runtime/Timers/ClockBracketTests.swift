import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G9")) struct ClockBracketTests {
  /// Two clocks, where the wall clock is an hour ahead. Each reading takes 30 ns, and some take longer.
  private final class HeldUpClocks {
    private var now: Int64 = 1_000_000_000
    private(set) var readings = 0
    private var delays: [Int64]

    /// `delays` says how long the thread is held up after each reading.
    init(delays: [Int64]) { self.delays = delays }

    static let lead: Int64 = 3_600_000_000_000

    func read() -> ClockReading {
      ClockReading.bracketed(monotonic: { self.tell(ahead: 0) }, wall: { self.tell(ahead: Self.lead) })
    }

    private func tell(ahead lead: Int64) -> Deadline {
      let time = now + lead
      now += 30 + (readings < delays.count ? delays[readings] : 0)
      readings += 1
      return Deadline(nanoseconds: time)
    }
  }

  private static let millisecond: Int64 = 1_000_000

  @Test func `A thread that isn't held up reads three times`() {
    let clocks = HeldUpClocks(delays: [])
    let reading = clocks.read()
    #expect(reading.monotonic == Deadline(nanoseconds: 1_000_000_000))
    #expect(reading.wallLead == Interval(nanoseconds: HeldUpClocks.lead + 30))
    #expect(clocks.readings == 3)
  }

  // Held up for 30 ms after the first, the second or the third reading, and after several.
  @Test(arguments: [
    [30 * millisecond], [0, 30 * millisecond], [0, 0, 30 * millisecond],
    [30 * millisecond, 30 * millisecond, 30 * millisecond, 30 * millisecond, 30 * millisecond],
  ])
  func `A thread that is held up between two readings reads again`(delays: [Int64]) {
    let reading = HeldUpClocks(delays: delays).read()
    let error = reading.wallLead.nanoseconds - HeldUpClocks.lead
    #expect((0...10_000).contains(error))
  }

  @Test func `Being held up doesn't look like a clock that was set back`() {
    let held = HeldUpClocks(delays: [11 * Self.millisecond]).read()
    #expect(!HeldUpClocks(delays: []).read().isSetBack(since: held))
  }

  @Test func `A thread that is always held up takes the closest readings, and tries eight times`() {
    // The third try is the closest: 2 ms lie around it, where 6 ms lie around the others.
    let delays: [Int64] = [3, 3, 3, 3, 1, 1] + Array(repeating: 3, count: 100)
    let clocks = HeldUpClocks(delays: delays.map { $0 * Self.millisecond })
    let reading = clocks.read()
    #expect(reading.wallLead.nanoseconds - HeldUpClocks.lead == Self.millisecond + 30)
    #expect(clocks.readings == 17)
  }

  @Test func `The time of the monotonic clock is never later than the moment of the other reading`() {
    for place in 0..<6 {
      var delays = [Int64](repeating: 0, count: 6)
      delays[place] = 5_000
      #expect(HeldUpClocks(delays: delays).read().wallLead.nanoseconds >= HeldUpClocks.lead)
    }
  }
}
