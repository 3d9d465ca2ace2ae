/// A word whose knowledge grants a right.
package struct Secret: Sendable {
  package let text: String
  private let bytes: [UInt8]

  package init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// A new secret of 128 bits.
  package static func random() -> Secret {
    var generator = SystemRandomNumberGenerator()
    let halves = (0..<2).map { _ in String(generator.next() as UInt64, radix: 36) }
    return Secret(halves.joined(separator: "-"))
  }

  /// Whether this is the secret. How long it takes to say so depends on what is given, not on how much of it
  /// is right.
  package func matches(_ given: String) -> Bool {
    let given = Array(given.utf8)
    var difference = given.count ^ bytes.count
    for index in given.indices { difference |= Int(given[index] ^ bytes[index % bytes.count]) }
    return difference == 0
  }
}
