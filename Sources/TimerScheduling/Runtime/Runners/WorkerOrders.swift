/// What a pool does outside its lock after work was added or taken.
struct WorkerOrders: Sendable {
  /// The index of a worker to start.
  var start: Int?
  /// How many nanoseconds later to look for blocked workers. Nil if no check is to be armed.
  var checkDelay: UInt64?

  static var none: WorkerOrders { WorkerOrders() }
}
