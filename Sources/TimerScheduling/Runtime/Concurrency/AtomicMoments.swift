import Synchronization

/// A moment on each of the two clocks, which any thread may read and write.
///
/// All accesses are sequentially consistent, because ``TimerDriver`` relies on their order. See there.
struct AtomicMoments: ~Copyable, Sendable {
  private let monotonic = Atomic<Int64>(.max)
  private let wall = Atomic<Int64>(.max)

  subscript(timeline: Timeline) -> Deadline {
    switch timeline {
    case .monotonic: Deadline(nanoseconds: monotonic.load(ordering: .sequentiallyConsistent))
    case .wall: Deadline(nanoseconds: wall.load(ordering: .sequentiallyConsistent))
    }
  }

  func store(_ moment: Deadline, on timeline: Timeline) {
    switch timeline {
    case .monotonic: monotonic.store(moment.nanoseconds, ordering: .sequentiallyConsistent)
    case .wall: wall.store(moment.nanoseconds, ordering: .sequentiallyConsistent)
    }
  }

  /// Stores a moment if the present one is `expected`. Returns false if it isn't.
  func exchange(_ expected: Deadline, for moment: Deadline, on timeline: Timeline) -> Bool {
    let (expected, moment) = (expected.nanoseconds, moment.nanoseconds)
    return switch timeline {
    case .monotonic:
      monotonic.compareExchange(expected: expected, desired: moment, ordering: .sequentiallyConsistent)
        .exchanged
    case .wall:
      wall.compareExchange(expected: expected, desired: moment, ordering: .sequentiallyConsistent).exchanged
    }
  }
}
