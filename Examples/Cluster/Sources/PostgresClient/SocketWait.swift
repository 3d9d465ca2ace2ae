@unsafe @preconcurrency package import Dispatch

/// A wait for a socket, by a dispatch source that lives as long as the wait.
package struct SocketWait {
  package enum Event {
    case readable
    case writable
  }

  private let source: any DispatchSourceProtocol

  package init(for event: Event, on socket: CInt, queue: DispatchQueue) {
    source =
      switch event {
      case .readable: DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      case .writable: DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
      }
  }

  /// Returns when the socket is ready, and throws when the task is cancelled.
  ///
  /// Either way the source has left the socket by then, so the caller may close it.
  package func callAsFunction() async throws(CancellationError) {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        source.setEventHandler { [source] in source.cancel() }
        source.setCancelHandler { continuation.resume() }
        source.resume()
      }
    } onCancel: {
      source.cancel()
    }
    if Task.isCancelled { throw CancellationError() }
  }
}
