import NIOCore

/// The bytes of an IP address: 4, or 16 for one of version 6.
package struct IPAddress: Sendable, Hashable {
  package let bytes: [UInt8]

  /// Reads a numeric address, such as `10.0.0.3` or `fd00::3`.
  package init?(_ text: some StringProtocol) {
    guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
    self.init(address)
  }

  /// Takes the address of a connection's other end. Nil for a socket in the file system.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address):
      bytes = unsafe withUnsafeBytes(of: address.address.sin_addr) { unsafe Array($0) }
    case .v6(let address):
      let all = unsafe withUnsafeBytes(of: address.address.sin6_addr) { unsafe Array($0) }
      // An address of version 4, as a socket of version 6 shows it.
      bytes = all.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) ? Array(all[12...]) : all
    case .unixDomainSocket:
      return nil
    }
  }

  /// The address of the network that one client has: the address itself, or the first 48 bits of one of
  /// version 6.
  var ofNetwork: IPAddress { IPAddress(bytes: bytes.count == 4 ? bytes : Array(bytes[..<6])) }

  private init(bytes: [UInt8]) { self.bytes = bytes }
}

extension IPAddress: CustomStringConvertible {
  package var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    let groups = stride(from: 0, to: bytes.count, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }
    return groups.joined(separator: ":")
  }
}
