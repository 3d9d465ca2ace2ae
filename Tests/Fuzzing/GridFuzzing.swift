/// A grid agrees with arithmetic in 128 bits, where nothing overflows.
func fuzzGrids(_ input: inout FuzzInput) {
  let interval = input.interval()
  guard interval > .zero else { return }
  let grid = TickGrid(origin: input.deadline(), interval: interval)
  if interval == .max { return fuzzEndless(grid, &input) }
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
  // The cadence may begin before the clock's range.
  let beginning = Int128(input.int64()) << Int128(input.number(below: 16))
  if beginning <= Int128(now.nanoseconds) {
    let moved = TickGrid(through: beginning, interval: interval, at: now)
    let distance = Int128(moved.origin.nanoseconds) - beginning
    require(distance % Int128(interval.nanoseconds) == 0, "\(beginning) isn't in \(moved)")
    let newest = moved.newestOrdinal(at: now)
    require(newest == 0 || newest == -1 && moved.origin > now, "\(beginning) is moved to \(moved) at \(now)")
  }
}

/// With an endless interval, only the origin comes.
private func fuzzEndless(_ grid: TickGrid, _ input: inout FuzzInput) {
  let (ordinal, now) = (input.int64(), input.deadline())
  let expected = ordinal == 0 ? grid.origin : ordinal < 0 ? Deadline.past : .never
  require(grid.deadline(ordinal) == expected, "\(grid) has no deadline \(ordinal) at \(expected)")
  require(grid.newestOrdinal(at: now) == (now < grid.origin ? -1 : 0), "\(grid) has another newest at \(now)")
}
