/// What a pool does outside its lock after work was added or taken.
package struct WorkerOrders: Sendable {
  /// The index of a worker to start.
  package var start: Int?
  /// How many nanoseconds later to look for blocked workers. Nil if no check is to be armed.
  package var checkDelay: UInt64?

  package static var none: WorkerOrders { WorkerOrders() }
}
