/// The row of a replica's session.
package struct SessionRow: Sendable, Hashable, Codable {
  package var replica: String
  package var lease: Duration
  package var leaseEnd: StoreTime
  /// The number of the last claim that took rows or was sent again.
  package var number: Int64 = 0
  /// Whether its rows are free for others. It never becomes false again.
  package var isOver = false

  package init(replica: String, lease: Duration, leaseEnd: StoreTime) {
    (self.replica, self.lease, self.leaseEnd) = (replica, lease, leaseEnd)
  }

  /// Ends a session whose lease has run out, and cuts a lease that reaches too far.
  mutating func judge(_ now: StoreTime) {
    (isOver, leaseEnd) = (isOver || leaseEnd <= now, min(leaseEnd, now + lease))
  }

  /// Whether its replica renews its lease. A lease that reaches too far is of a clock that was ahead.
  func isLive(_ now: StoreTime) -> Bool { !isOver && leaseEnd > now && leaseEnd <= now + lease }
}
