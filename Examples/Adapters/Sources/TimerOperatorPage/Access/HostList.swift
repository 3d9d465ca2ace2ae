/// The hosts for which requests are answered.
///
/// A foreign site can have its name resolve to this machine. A browser then takes the site for this server,
/// but its requests still name the other site.
package struct HostList: Sendable {
  private let names: Set<String>

  /// Creates a list of names and addresses besides those of the loopback interface.
  ///
  /// An address of version 6 may be given with brackets or without them, and in any of its forms. A port is
  /// ignored.
  package init(_ names: Set<String>) {
    self.names = Set(
      names.union(["localhost", "127.0.0.1", "::1"]).map { name in
        Self.compared(IPAddress(name) == nil ? Self.name(in: name) ?? Substring(name) : Substring(name))
      })
  }

  /// Whether an authority, such as `localhost:8080`, is of one of these hosts.
  package func contains(_ authority: String) -> Bool {
    Self.name(in: authority).map { names.contains(Self.compared($0)) } ?? false
  }

  /// The form in which names are compared: an address in its only form, without brackets, and a name in lower
  /// case.
  private static func compared(_ name: Substring) -> String {
    let isInBrackets = name.hasPrefix("[") && name.hasSuffix("]")
    let address = isInBrackets ? name.dropFirst().dropLast() : name
    guard !isInBrackets || address.contains(":") else { return name.lowercased() }
    return IPAddress(address)?.description ?? name.lowercased()
  }

  /// Whether an authority is a numeric address, such as `10.0.0.3:8080` or `[fd00::3]`.
  package static func isAddress(_ authority: String) -> Bool {
    guard let name = name(in: authority) else { return false }
    // An address of version 6 stands in brackets, and no other does.
    guard name.hasPrefix("["), name.hasSuffix("]") else {
      return !name.contains(":") && IPAddress(name) != nil
    }
    let address = name.dropFirst().dropLast()
    return address.contains(":") && IPAddress(address) != nil
  }

  /// The part of an authority before the port. Nil if something else than a port follows.
  private static func name(in authority: String) -> Substring? {
    let end =
      authority.hasPrefix("[")
      ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
    let name = authority[..<(end ?? authority.endIndex)]
    let port = authority[name.endIndex...]
    let isPort = port.isEmpty || (port.hasPrefix(":") && port.dropFirst().allSatisfy("0123456789".contains))
    return isPort ? name : nil
  }
}
