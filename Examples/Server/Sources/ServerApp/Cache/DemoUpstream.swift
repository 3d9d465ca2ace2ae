import Synchronization

/// An upstream that answers with numbers, after a while.
public final class DemoUpstream: Upstream {
  private let latency: Duration
  private let isStubborn: Bool
  private let count = Atomic(0)

  /// Creates an upstream.
  ///
  /// - Parameters:
  ///   - latency: The time that it takes to answer.
  ///   - isStubborn: Whether it ignores that it is cancelled.
  public init(latency: Duration = .milliseconds(50), isStubborn: Bool = false) {
    self.latency = latency
    self.isStubborn = isStubborn
  }

  /// Returns the number of answers that were asked for.
  public func fetch() async throws -> String {
    let (_, number) = count.add(1, ordering: .relaxed)
    if isStubborn {
      try await Task { [latency] in try await Task.sleep(for: latency) }.value
    } else {
      try await Task.sleep(for: latency)
    }
    return "answer \(number)"
  }
}
