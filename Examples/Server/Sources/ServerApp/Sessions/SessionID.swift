/// The identifier by which a client is known again: 128 random bits.
package struct SessionID: Hashable, Sendable {
  private let bits: UInt128

  /// Draws an identifier, from the system's secure generator.
  package init() {
    bits = .random(in: 0 ... .max)
  }

  /// Reads 32 hexadecimal digits, and nothing else.
  package init?(_ text: some StringProtocol) {
    // A sign is read by the initializer, so the digits are looked at one by one.
    guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit), let bits = UInt128(text, radix: 16) else {
      return nil
    }
    self.bits = bits
  }
}

extension SessionID: CustomStringConvertible {
  /// 32 hexadecimal digits.
  package var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
