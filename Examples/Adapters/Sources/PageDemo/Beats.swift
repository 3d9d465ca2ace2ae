import Synchronization

/// The lateness of one timer's ticks.
final class Beats: Sendable {
  private let latenesses = Mutex<[Duration]>([])

  func add(_ lateness: Duration) {
    latenesses.withLock { $0.append(lateness) }
  }

  /// The count, and the lateness in microseconds of half of the ticks, of 99 in 100 and of all, since the
  /// last call.
  func takeSummary() -> String {
    let sorted = latenesses.withLock { latenesses in
      defer { latenesses = [] }
      return latenesses.sorted()
    }
    guard let last = sorted.last else { return "0 0 0 0\n" }
    let quantiles = [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], last]
    return "\(sorted.count) " + quantiles.map { "\(Int($0 / .microseconds(1)))" }.joined(separator: " ")
      + "\n"
  }
}
