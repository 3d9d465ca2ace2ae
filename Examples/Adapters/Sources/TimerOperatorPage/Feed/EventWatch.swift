package import NIOCore

/// The events for one page that is open. A page that is slow gets the newest.
///
/// It ends when it is told to, or when whoever has it lets go of it.
package struct EventWatch: Sendable {
  package let events: AsyncStream<ByteBuffer>
  /// Sends the events. Whoever keeps this doesn't keep the watch.
  let continuation: AsyncStream<ByteBuffer>.Continuation

  init(onEnd: @escaping @Sendable () -> Void) {
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in onEnd() }
  }

  package func end() { continuation.finish() }
}
