/// SplitMix64: every run and every peer gets the same numbers.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64 = 1) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func delay(in range: ClosedRange<Duration>) -> Delay {
    let (low, high) = (Delay(range.lowerBound).nanoseconds, Delay(range.upperBound).nanoseconds)
    return Delay(nanoseconds: .random(in: low...high, using: &self))
  }
}
