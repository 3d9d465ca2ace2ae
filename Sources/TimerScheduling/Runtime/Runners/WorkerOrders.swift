import Dispatch

/// What a pool does outside its lock after work was added or taken.
struct WorkerOrders: Sendable {
  /// A worker to start.
  var start: WorkerStart?
  /// How many nanoseconds later to look for blocked workers. Nil if no check is to be armed.
  var checkDelay: UInt64?

  static var none: WorkerOrders { WorkerOrders() }
}

/// A worker to start: its index in the pool, and its queue.
struct WorkerStart: Sendable {
  let index: Int
  let queue: DispatchQueue
}
