/// The hosts for which requests are answered.
///
/// A site of somebody else can have its name resolve to this machine, and then counts as this server's own origin for a
/// browser. What the browser asks for still has the other site's name.
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
    guard port.isEmpty || (port.hasPrefix(":") && port.dropFirst().allSatisfy("0123456789".contains)) else {
      return false
    }
    return names.contains(name.lowercased())
  }
}
