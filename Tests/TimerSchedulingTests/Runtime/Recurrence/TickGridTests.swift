import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G2")) struct TickGridTests {
  @Test(
    arguments: [.min, -8_000_000_000_000_000_000, -1, 0, 1_000] as [Int64],
    [1, 3, 300, 1_000_000_000, .max / 2, .max - 125, .max - 1] as [Int64])
  func `Deadlines and ordinals are those of 128-bit arithmetic`(origin: Int64, interval: Int64) {
    let grid = TickGrid(origin: Deadline(nanoseconds: origin), interval: Interval(nanoseconds: interval))
    func deadline(_ ordinal: Int64) -> Int128 { Int128(origin) + Int128(ordinal) * Int128(interval) }
    for ordinal in [.min, -2, 0, 1, 10_000, .max] as [Int64] {
      #expect(grid.deadline(ordinal).nanoseconds == Int64(clamping: deadline(ordinal)))
    }
    for now in [0, 699, 700, 999, 1_000, 1_299, 1_300, 3_001_000, 1_800_000_000_000_000_000, Int64.max - 1] {
      let newest = grid.newestOrdinal(at: Deadline(nanoseconds: now))
      #expect(deadline(newest) <= Int128(now))
      #expect(newest == .max || deadline(newest) + Int128(interval) > Int128(now))
    }
  }

  @Test(arguments: [1, 7, 1_000_000_000, Int64.max - 1])
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

  @Test(arguments: [Deadline.past, Deadline(nanoseconds: -1), Deadline(nanoseconds: .max / 2), .never])
  func `With an endless interval, the origin is the only deadline that comes`(origin: Deadline) {
    let grid = TickGrid(origin: origin, interval: .max)
    for ordinal in [.min, -1, 0, 1, .max] as [Int64] {
      #expect(grid.deadline(ordinal) == (ordinal < 0 ? .past : ordinal > 0 ? .never : origin))
    }
    for now in [Deadline.past, Deadline(nanoseconds: -2), origin, .last] {
      #expect(grid.newestOrdinal(at: now) == (now < origin ? -1 : 0))
      guard origin > .past, origin <= now else { continue }
      #expect(TickGrid(through: Int128(origin.nanoseconds), interval: .max, at: now) == grid)
    }
    let before = Int128(Int64.min) - 1
    #expect(TickGrid(through: before, interval: .max, at: Deadline(nanoseconds: -3)).origin == .never)
    #expect(TickGrid(through: before, interval: .max, at: .last).origin == .past)
  }
}
