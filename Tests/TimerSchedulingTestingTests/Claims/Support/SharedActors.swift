import TestSupport

/// An actor that tests and strangers share.
actor Shared {
  private var workCount = 0

  func work() {
    compute(for: .microseconds(200))
    workCount += 1
  }

  func nap(_ duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Keeps an actor busy with tasks that belong to no test in virtual time.
func keepBusy<R>(_ shared: Shared, during body: () async throws -> R) async rethrows -> R {
  let stranger = Task.detached {
    while !Task.isCancelled {
      await shared.work()
      try? await Task.sleep(for: .microseconds(100))
    }
  }
  defer { stranger.cancel() }
  return try await body()
}

/// A lock whose waiting tasks wait by a continuation, as those of many packages do.
actor AsyncLock {
  private var isHeld: Bool
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(isHeld: Bool = false) { self.isHeld = isHeld }

  func lock() async {
    if isHeld { await withCheckedContinuation { waiting.append($0) } } else { isHeld = true }
  }

  func unlock() {
    if waiting.isEmpty { isHeld = false } else { waiting.removeFirst().resume() }
  }
}
