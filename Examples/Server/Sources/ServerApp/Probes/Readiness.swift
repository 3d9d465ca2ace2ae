import Synchronization

/// Whether the service takes requests: it has begun its work, and isn't about to end.
package final class Readiness: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isReady: Bool { flag.load(ordering: .relaxed) }

  func set(_ isReady: Bool) { flag.store(isReady, ordering: .relaxed) }
}
