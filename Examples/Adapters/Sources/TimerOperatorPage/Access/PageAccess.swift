/// The rule by which an ``OperatorPage`` lets clients look and act.
public enum PageAccess: Sendable {
  /// Every client that reaches the server may look and act.
  ///
  /// Use it only if the server listens on the loopback interface, or another server in front of it asks for a
  /// password. The page then believes nothing that headers say of a proxy's client, not even those of a
  /// trusted proxy: the host has to be allowed as the connection names it.
  case open
  /// An operator needs a token to act, and to look unless the page is public.
  ///
  /// - Parameters:
  ///   - tokens: The operators' tokens, at least one.
  ///   - isPublic: Whether every client may look.
  case tokens([OperatorToken], isPublic: Bool = false)
}
