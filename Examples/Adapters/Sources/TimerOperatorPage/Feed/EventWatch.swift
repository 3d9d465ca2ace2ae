/// The reports for one page that is open. A page that is slow gets the newest.
///
/// It ends when it is told to, or when it is released.
package struct EventWatch: Sendable {
  package let query: TimerQuery
  package let reports: AsyncStream<TimerReport>
  /// Sends the reports. Holding it doesn't hold the watch.
  let continuation: AsyncStream<TimerReport>.Continuation

  init(_ query: TimerQuery, onEnd: @escaping @Sendable () -> Void) {
    self.query = query
    (reports, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in onEnd() }
  }

  package func end() { continuation.finish() }
}
