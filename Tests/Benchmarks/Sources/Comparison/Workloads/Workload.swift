/// A measured operation on timers that fire once.
protocol OneShotWorkload {
  /// Generic, so that each peer's calls are compiled into the loops that make them.
  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings
}
