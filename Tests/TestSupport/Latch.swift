/// Lets tasks wait until it is opened, for good.
package final class Latch: Sendable {
  private let opened: AsyncStream<Never>
  private let opener: AsyncStream<Never>.Continuation

  package init() {
    (opened, opener) = AsyncStream.makeStream(of: Never.self)
  }

  package func open() { opener.finish() }

  /// Waits, whether or not the task is cancelled.
  package func wait() async {
    await Task.detached { [opened] in for await _ in opened {} }.value
  }
}
