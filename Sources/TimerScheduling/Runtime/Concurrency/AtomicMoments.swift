import Synchronization

/// A moment on each of the two clocks, which any thread may read and write. All accesses are sequentially
/// consistent, because ``TimerDriver`` relies on their order.
struct AtomicMoments: ~Copyable, Sendable {
  private let monotonic = Atomic<Int64>(.max)
  private let wall = Atomic<Int64>(.max)

  @inline(__always)
  private func withMoment<R>(on timeline: Timeline, _ body: (borrowing Atomic<Int64>) -> R) -> R {
    switch timeline {
    case .monotonic: body(monotonic)
    case .wall: body(wall)
    }
  }

  subscript(timeline: Timeline) -> Deadline {
    Deadline(nanoseconds: withMoment(on: timeline) { $0.load(ordering: .sequentiallyConsistent) })
  }

  func store(_ moment: Deadline, on timeline: Timeline) {
    withMoment(on: timeline) { $0.store(moment.nanoseconds, ordering: .sequentiallyConsistent) }
  }

  func exchange(_ expected: Deadline, for moment: Deadline, on timeline: Timeline) -> Bool {
    withMoment(on: timeline) {
      $0.compareExchange(
        expected: expected.nanoseconds, desired: moment.nanoseconds, ordering: .sequentiallyConsistent
      ).exchanged
    }
  }
}
