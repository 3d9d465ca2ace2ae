/// A range of addresses, such as `10.0.0.0/8`, or a single one.
public struct AddressRange: Sendable, Hashable {
  private let first: IPAddress
  private let length: Int

  /// Reads a range.
  ///
  /// - Parameter text: An address of version 4 or 6, which a slash and the number of leading bits may follow.
  /// - Returns: Nil if the text is something else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = IPAddress(parts[0]) else { return nil }
    let bitCount = first.bytes.count * 8
    switch parts.count {
    case 1: length = bitCount
    case 2:
      guard let length = Int(parts[1]), 0...bitCount ~= length else { return nil }
      self.length = length
    default: return nil
    }
    self.first = first
  }

  /// Whether a numeric address, such as `10.0.0.3`, is in the range. No text of another kind is.
  public func contains(_ address: String) -> Bool { IPAddress(address).map(contains) ?? false }

  package func contains(_ address: IPAddress) -> Bool {
    guard address.bytes.count == first.bytes.count else { return false }
    return (0..<first.bytes.count).allSatisfy { index in
      let bitCount = min(max(length - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - bitCount))
      return address.bytes[index] & mask == first.bytes[index] & mask
    }
  }
}
