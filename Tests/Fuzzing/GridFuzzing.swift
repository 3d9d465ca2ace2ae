/// A grid agrees with arithmetic in 128 bits, where nothing overflows.
func fuzzGrids(_ input: inout FuzzInput) {
  let interval = input.interval()
  guard interval > .zero else { return }
  let grid = TickGrid(origin: input.deadline(), interval: interval)
  let origin = Int128(grid.origin.nanoseconds)

  let ordinal = input.int64()
  let distance = Int128(ordinal) * Int128(interval.nanoseconds)
  if let distance = Int64(exactly: distance) {
    let expected = Int64(clamping: origin + Int128(distance))
    require(
      grid.deadline(ordinal).nanoseconds == expected, "\(grid) has no deadline \(ordinal) at \(expected)")
  }

  let now = input.deadline()
  let elapsed = Int128(now.nanoseconds) - origin
  if let elapsed = Int64(exactly: elapsed) {
    let newest = grid.newestOrdinal(at: now)
    let since = Int128(elapsed) - Int128(newest) * Int128(interval.nanoseconds)
    require(
      since >= 0 && since < Int128(interval.nanoseconds), "\(newest) isn't the newest of \(grid) at \(now)")
  }
  if grid.origin <= now {
    let rebased = grid.rebased(at: now)
    let sinceNewest = elapsed % Int128(interval.nanoseconds)
    require(
      now - rebased.origin == Interval(nanoseconds: Int64(sinceNewest)), "\(grid) is moved to \(rebased)")
    require(rebased.newestOrdinal(at: now) == 0, "\(grid) is moved to \(rebased)")
  }
}
