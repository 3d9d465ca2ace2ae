/// The hosts for which requests are answered.
///
/// A foreign site can have its name resolve to this machine. A browser then takes the site for this server, but its
/// requests still name the other site.
package struct HostList: Sendable {
  private let names: Set<String>

  package init(_ names: Set<String>) {
    self.names = Set(names.map { $0.lowercased() }).union(["localhost", "127.0.0.1", "[::1]"])
  }

  /// Whether an authority, such as `localhost:8080`, is of one of these hosts.
  package func contains(_ authority: String) -> Bool {
    let end =
      authority.hasPrefix("[")
      ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
    let name = authority[..<(end ?? authority.endIndex)]
    let port = authority[name.endIndex...]
    return Self.isPort(port) && names.contains(name.lowercased())
  }

  /// Whether an authority is a numeric address, such as `10.0.0.3:8080` or `[fd00::3]`.
  package static func isAddress(_ authority: String) -> Bool {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      let digits = authority[authority.index(after: authority.startIndex)..<end]
      return digits.contains(":") && digits.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        && isPort(authority[authority.index(after: end)...])
    }
    let name = authority.prefix { $0 != ":" }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { $0.allSatisfy("0123456789".contains) && UInt8($0) != nil }
      && isPort(authority[name.endIndex...])
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || (text.hasPrefix(":") && text.dropFirst().allSatisfy("0123456789".contains))
  }
}
