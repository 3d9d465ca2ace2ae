/// A set of numbers from 0 to 63.
package struct ValueSet: Hashable, Sendable {
  package private(set) var bits: UInt64

  package init(bits: UInt64 = 0) {
    self.bits = bits
  }

  package mutating func insert(_ value: Int) {
    bits |= 1 << UInt64(value)
  }

  package func contains(_ value: Int) -> Bool {
    first(from: value) == value
  }

  /// Returns the smallest number in the set that is at least `value`.
  package func first(from value: Int) -> Int? {
    // A shift by 64 or more gives zero.
    let rest = (bits >> value) << value
    return rest == 0 ? nil : rest.trailingZeroBitCount
  }
}
