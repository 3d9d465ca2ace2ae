import ServiceLifecycleTestKit
import Testing
import TimerOperatorPage

@Suite(.timeLimit(.minutes(30))) struct GracefulEndTests {
  @Test func `What ends when it is asked to isn't cancelled`() async throws {
    try await testGracefulShutdown { trigger in
      let (requests, continuation) = AsyncStream<Void>.makeStream()
      try await withGracefulEnd(within: .seconds(3_600)) {
        trigger.triggerGracefulShutdown()
        for await _ in requests {}
        try Task.checkCancellation()
      } onShutdown: {
        continuation.finish()
      }
    }
  }

  @Test func `What doesn't end when it is asked to is cancelled`() async throws {
    await testGracefulShutdown { trigger -> Void in
      await #expect(throws: CancellationError.self) {
        try await withGracefulEnd(within: .zero) {
          trigger.triggerGracefulShutdown()
          // Such as a write to a client that doesn't read.
          try await Task.sleep(for: .seconds(3_600))
        } onShutdown: {
        }
      }
    }
  }

  @Test func `Without a shutdown it lasts as long as the operation`() async throws {
    struct Failure: Error {}
    try await withGracefulEnd(within: .zero) {
    } onShutdown: {
      Issue.record("Nothing is shut down.")
    }
    await #expect(throws: Failure.self) {
      try await withGracefulEnd(within: .zero) {
        throw Failure()
      } onShutdown: {
      }
    }
  }
}
