import Synchronization

/// A place to wait for the last of a number of arrivals.
final class Gathering: Sendable {
  private let missing: Atomic<Int>
  private let completion = AsyncStream.makeStream(of: Never.self)

  init(of count: Int) {
    missing = Atomic(count)
  }

  func arrive() {
    let rest = missing.subtract(1, ordering: .acquiringAndReleasing).newValue
    if rest == 0 { completion.continuation.finish() }
  }

  func wait() async {
    for await _ in completion.stream {}
  }
}
