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
  @inline(__always)
  static func suspend(
    as consumer: TickConsumer? = nil, noting monitor: (any ConsumerMonitor)?,
    _ isToWait: (WaitingConsumer) -> Bool
  ) async {
    await unsafe withUnsafeContinuation { continuation in
      let waiting = unsafe WaitingConsumer(continuation: continuation)
      monitor?.waitBegins(waiting.id, as: consumer)
      if isToWait(waiting) { monitor?.waitBegan(waiting.id) } else { waiting.resume(noting: monitor) }
    }
  }

  private init(continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  /// A continuation is one word, the task's own.
  private var id: WaitID { WaitID(bits: unsafe unsafeBitCast(continuation, to: UInt.self)) }

  func resume(noting monitor: (any ConsumerMonitor)?) {
    // Before the task runs, as it may wait anew at once.
    monitor?.waitEnded(id)
    unsafe continuation.resumeUnwatched(returning: ())
  }
}

extension UnsafeContinuation where E == Never {
  /// Resumes the task out of the sight of the thread sanitizer, which takes a resumption just as the task begins to wait
  /// for a race: https://github.com/swiftlang/swift/issues/57803. Optimized, there is nothing to see.
  func resumeUnwatched(returning value: sending T) {
    #if DEBUG
    unsafe CheckedContinuation(continuation: self).resume(returning: value)
    #else
    unsafe resume(returning: value)
    #endif
  }
}
