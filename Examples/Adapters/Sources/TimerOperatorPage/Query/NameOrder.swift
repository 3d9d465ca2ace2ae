/// Orders names as people do: upper and lower case are the same, and numbers go by their value, so that `job-2` comes
/// before `job-10`.
package enum NameOrder {
  /// Whether a name comes before another. Names that differ in case or in leading zeros only go by their characters.
  package static func isBefore(_ left: String, _ right: String) -> Bool {
    var (lefts, rights) = (left.utf8.makeIterator(), right.utf8.makeIterator())
    var (first, second) = (lefts.next(), rights.next())
    while let one = first, let other = second {
      if isDigit(one), isDigit(other) {
        switch compareNumbers(&first, &lefts, &second, &rights) {
        case ..<0: return true
        case 0: continue
        default: return false
        }
      }
      let (one, other) = (lowercased(one), lowercased(other))
      guard one == other else { return one < other }
      (first, second) = (lefts.next(), rights.next())
    }
    if first == nil, second == nil { return left < right }
    return first == nil
  }

  private typealias Bytes = String.UTF8View.Iterator

  /// Compares two numbers, of any length, and goes on to what follows them. Returns less than zero if the left is less.
  private static func compareNumbers(
    _ first: inout UInt8?, _ lefts: inout Bytes, _ second: inout UInt8?, _ rights: inout Bytes
  ) -> Int {
    let zero = UInt8(ascii: "0")
    while first == zero { first = lefts.next() }
    while second == zero { second = rights.next() }
    // Of two numbers with as many digits, the first digit that differs decides.
    var difference = 0
    while true {
      switch (first.flatMap(digit), second.flatMap(digit)) {
      case (let one?, let other?):
        if difference == 0 { difference = Int(one) - Int(other) }
        (first, second) = (lefts.next(), rights.next())
      case (_?, nil): return 1
      case (nil, _?): return -1
      case (nil, nil): return difference
      }
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? { isDigit(byte) ? byte : nil }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
