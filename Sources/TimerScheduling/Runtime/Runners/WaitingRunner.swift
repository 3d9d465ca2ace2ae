/// A runner that has given its thread back, and waits for runs.
///
/// It is resumed exactly once: the state hands it out as it removes it.
@safe struct WaitingRunner: Sendable {
  private let continuation: UnsafeContinuation<Bool, Never>

  init(_ continuation: UnsafeContinuation<Bool, Never>) {
    unsafe self.continuation = continuation
  }

  /// Lets the runner go on.
  func resume() {
    unsafe continuation.resumeUnwatched(returning: true)
  }

  /// Lets the runner's task end.
  func end() {
    unsafe continuation.resumeUnwatched(returning: false)
  }
}
