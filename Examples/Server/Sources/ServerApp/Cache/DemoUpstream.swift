import Synchronization

/// An upstream that answers with numbers, after a while.
public final class DemoUpstream: Upstream {
  private let latency: Duration
  private let count = Atomic(0)

  /// Creates an upstream that takes a time to answer.
  public init(latency: Duration = .milliseconds(50)) {
    self.latency = latency
  }

  /// Returns the number of answers that were asked for.
  public func fetch() async throws -> String {
    let (_, number) = count.add(1, ordering: .relaxed)
    try await Task.sleep(for: latency)
    return "answer \(number)"
  }
}
