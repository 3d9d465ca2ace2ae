/// Work for a pool to do outside its lock after a run or job was added or taken.
package struct WorkerOrders: Sendable {
  /// The index of a worker to start.
  package var start: Int?
  /// The nanoseconds until the next check for blocked workers. Nil if no check should be armed.
  package var checkDelay: UInt64?
  /// Whether to report that so many workers are blocked that no other may be started.
  package var reportsLimit = false

  package static var none: WorkerOrders { WorkerOrders() }
}
