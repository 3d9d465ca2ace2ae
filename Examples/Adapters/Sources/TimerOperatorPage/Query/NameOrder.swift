/// Orders names as people do: upper and lower case are the same, and numbers go by their value, so that
/// `job-2` comes before `job-10`.
package enum NameOrder {
  /// Whether a name comes before another. Names that differ in case or in leading zeros only go by their
  /// characters.
  package static func isBefore(_ left: String, _ right: String) -> Bool {
    let order = unsafe left.utf8.withContiguousStorageIfAvailable { left in
      unsafe right.utf8.withContiguousStorageIfAvailable { right in unsafe compare(left, right) }
    }
    switch (order ?? nil) ?? compare(Array(left.utf8), Array(right.utf8)) {
    case ..<0: return true
    case 0: return left < right
    default: return false
    }
  }

  /// Returns less than zero if the left name comes first, and zero for names that differ in case or leading
  /// zeros only.
  private static func compare<Bytes: RandomAccessCollection<UInt8>>(
    _ left: Bytes, _ right: Bytes
  ) -> Int where Bytes.Index == Int {
    var (first, second) = (0, 0)
    while first < left.count, second < right.count {
      if isDigit(left[first]), isDigit(right[second]) {
        let order = compareNumbers(left, &first, right, &second)
        if order != 0 { return order }
      } else {
        let (one, other) = (lowercased(left[first]), lowercased(right[second]))
        if one != other { return Int(one) - Int(other) }
        first += 1
        second += 1
      }
    }
    return (left.count - first) - (right.count - second)
  }

  /// Compares two numbers, of any length, and goes on to what follows them.
  private static func compareNumbers<Bytes: RandomAccessCollection<UInt8>>(
    _ left: Bytes, _ first: inout Int, _ right: Bytes, _ second: inout Int
  ) -> Int where Bytes.Index == Int {
    let zero = UInt8(ascii: "0")
    while first < left.count, left[first] == zero { first += 1 }
    while second < right.count, right[second] == zero { second += 1 }
    // Of two numbers with as many digits, the first digit that differs decides.
    var difference = 0
    while true {
      let hasFirst = first < left.count && isDigit(left[first])
      let hasSecond = second < right.count && isDigit(right[second])
      guard hasFirst, hasSecond else { return hasFirst ? 1 : hasSecond ? -1 : difference }
      if difference == 0 { difference = Int(left[first]) - Int(right[second]) }
      first += 1
      second += 1
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
