import Synchronization

/// Work that is requested repeatedly and done by one task at a time.
///
/// Each request is followed by a run that begins after it. All requests made during a run share the next one.
package struct RepeatableWork: ~Copyable, Sendable {
  /// The number of requests that no run has been finished for.
  private let requestCount = Atomic<Int>(0)

  package init() {}

  /// Requests a run. Returns true if the caller must schedule a call of ``perform(_:)``, as none is pending or under
  /// way.
  package func request() -> Bool {
    requestCount.add(1, ordering: .acquiringAndReleasing).oldValue == 0
  }

  /// Calls `work` until each request has been followed by a run.
  package func perform(_ work: () -> Void) {
    var count = requestCount.load(ordering: .acquiring)
    while count > 0 {
      work()
      count = requestCount.subtract(count, ordering: .acquiringAndReleasing).newValue
    }
  }
}
