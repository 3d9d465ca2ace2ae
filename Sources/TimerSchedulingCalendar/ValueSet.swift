/// A set of numbers from 0 to 127.
package struct ValueSet: Hashable, Sendable {
  package private(set) var bits: UInt128

  package init(bits: UInt128 = 0) {
    self.bits = bits
  }

  package mutating func insert(_ value: Int) {
    bits |= 1 << UInt128(value)
  }

  package func contains(_ value: Int) -> Bool {
    first(from: value) == value
  }

  /// Returns the smallest number in the set that is at least `value`.
  package func first(from value: Int) -> Int? {
    // A shift by 128 or more gives zero.
    let rest = (bits >> value) << value
    return rest == 0 ? nil : rest.trailingZeroBitCount
  }

  /// Returns the largest number in the set that is at most `value`.
  package func last(through value: Int) -> Int? {
    guard value >= 0 else { return nil }
    let rest = bits & ~(UInt128.max << (value + 1))
    return rest == 0 ? nil : 127 - rest.leadingZeroBitCount
  }
}
