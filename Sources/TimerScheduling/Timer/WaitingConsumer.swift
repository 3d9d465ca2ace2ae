/// A task that waits for a timer to change.
///
/// Safe to pass around: whoever takes it out of its ``WaitingConsumers`` resumes it, once. A checked
/// continuation would cost an allocation for each wait to find a mistake in these two places.
@safe
struct WaitingConsumer: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the calling task until it is resumed, unless `isToWait` says that it needn't wait.
  ///
  /// `isToWait` keeps the consumer that it is given if it returns true.
  static func suspend(_ isToWait: (WaitingConsumer) -> Bool) async {
    await unsafe withUnsafeContinuation { continuation in
      let consumer = unsafe WaitingConsumer(continuation: continuation)
      if !isToWait(consumer) { consumer.resume() }
    }
  }

  private init(continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  func resume() {
    unsafe continuation.resume()
  }
}
