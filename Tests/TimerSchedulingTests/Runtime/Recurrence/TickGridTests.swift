import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G2")) struct TickGridTests {
  private let grid = TickGrid(origin: Deadline(nanoseconds: 1_000), interval: Interval(nanoseconds: 300))

  @Test func `A deadline lies at the origin and a multiple of the interval`() {
    #expect(grid.deadline(0).nanoseconds == 1_000)
    #expect(grid.deadline(1).nanoseconds == 1_300)
    #expect(grid.deadline(10_000).nanoseconds == 3_001_000)
    #expect(grid.deadline(-2).nanoseconds == 400)
  }

  @Test(arguments: [(999, -1), (1_000, 0), (1_299, 0), (1_300, 1), (3_001_000, 10_000), (700, -1), (699, -2)])
  func `The newest ordinal is that of the last deadline passed`(now: Int, ordinal: Int) {
    #expect(grid.newestOrdinal(at: Deadline(nanoseconds: Int64(now))) == Int64(ordinal))
  }

  @Test func `A deadline beyond the clock is never`() {
    #expect(grid.deadline(.max) == .never)
    let endless = TickGrid(origin: Deadline(nanoseconds: 5), interval: .max)
    #expect(endless.deadline(1) == .never)
    #expect(endless.newestOrdinal(at: Deadline(nanoseconds: .max - 1)) == 0)
  }

  @Test(arguments: [Int64.min, -8_000_000_000_000_000_000, -1, 0])
  func `The deadline after the newest lies ahead, however far the origin is`(origin: Int64) {
    for interval in [1, 3, 1_000_000_000, Int64.max / 2, Int64.max - 125, .max] {
      let grid = TickGrid(origin: Deadline(nanoseconds: origin), interval: Interval(nanoseconds: interval))
      for now in [0, 1_800_000_000_000_000_000, Int64.max - 1] {
        let newest = grid.newestOrdinal(at: Deadline(nanoseconds: now))
        guard newest < .max else { continue }
        #expect(grid.deadline(newest).nanoseconds <= now)
        #expect(grid.deadline(newest + 1).nanoseconds > now)
      }
    }
  }

  @Test(arguments: [1, 7, 1_000_000_000, Int64.max])
  func `An origin centuries ago is moved along its cadence`(interval: Int64) {
    let origin = Deadline(nanoseconds: .min)
    let now = Deadline(nanoseconds: 1_800_000_000_000_000_000)
    let grid = TickGrid(
      through: Int128(origin.nanoseconds), interval: Interval(nanoseconds: interval), at: now)
    #expect(grid.origin <= now)
    #expect(now - grid.origin < Interval(nanoseconds: interval))
    let moved = UInt64(bitPattern: grid.origin.nanoseconds &- origin.nanoseconds)
    #expect(moved.isMultiple(of: UInt64(interval)))
  }
}
