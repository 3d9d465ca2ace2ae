package import NIOCore

/// The events for one page that is open. A page that is slow gets the newest.
package struct EventWatch: Sendable {
  package let events: AsyncStream<ByteBuffer>
  private let continuation: AsyncStream<ByteBuffer>.Continuation

  init(onEnd: @escaping @Sendable () -> Void) {
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in onEnd() }
  }

  func send(_ event: ByteBuffer) { continuation.yield(event) }

  package func end() { continuation.finish() }
}
