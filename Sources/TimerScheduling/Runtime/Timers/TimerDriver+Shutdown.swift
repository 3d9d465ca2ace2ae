import Synchronization

nonisolated extension TimerDriver {
  func waitForShutdown() async {
    await shutdownWaiters.wait { hasShutDown.load(ordering: .sequentiallyConsistent) ? nil : () }
  }

  /// Shuts down, for good. Running actions continue.
  ///
  /// A listener that takes a tick meanwhile gets it if it found `hasShutDown` unset, under its timer's lock.
  /// This thread learns of the timer under that lock only, so it can't tell that tick from an earlier one.
  func shutdown() {
    // Another thread that waits for the shutdown also waits for all that is begun here.
    runs.beginWork()
    defer { runs.endWork() }
    guard !hasShutDown.exchange(true, ordering: .sequentiallyConsistent) else { return }
    shutdownWaiters.resume { _ in true }
    for begin in closings.withLock({ $0.begins.values.map(\.self) }) {
      guard let end = begin() else { continue }
      closings.withLock { $0.ends.append(end) }
    }
    executor.async { [self] in assumeIsolated { $0.close() } }
  }

  /// Has a shutdown begin something else for `owner`, or with nil nothing any more. A wait for the shutdown
  /// awaits what `begin` returns, after all actions. A scheduler that is shut down already ignores it.
  package func onShutdown(of owner: ObjectIdentifier, _ begin: ShutdownClosings.Begin?) {
    let old = closings.withLock { closings in
      defer { closings.begins[owner] = begin }
      return closings.begins[owner]
    }
    withExtendedLifetime(old) {}
  }

  package func stop() {
    shutdown()
    cancelRuns()
  }

  func cancelRuns() {
    for entry in entries { entry.machine.withLock { $0.cancelRun() }?.cancel() }
  }

  /// Waits until nothing is under way after the shutdown.
  func waitUntilShutDown() async {
    await close()
    await runs.waitUntilQuiet()
    for end in closings.withLock(\.ends) { await end() }
    await observation.feed?.waitUntilDelivered()
  }

  /// Shuts down as its clock has ended: limits are reached, too.
  package func abandon() {
    isAbandoned.store(true, ordering: .releasing)
    shutdown()
  }
}

extension TimerDriver {
  /// Ends timers and sleeps after the shutdown. The driver still fires limits.
  func close() {
    guard !hasClosed else { return }
    hasClosed = true
    deadlines.close { $0.driverClosed(onQueue: true) }
    runPass()
  }
}

/// The parts of other modules that end with a scheduler, such as a cluster's part at its store.
package struct ShutdownClosings {
  /// Begins the end of something, and returns a function that waits for it. Nil if there is nothing to end.
  package typealias Begin = @Sendable () -> End?
  package typealias End = @Sendable () async -> Void

  var begins: [ObjectIdentifier: Begin] = [:]
  var ends: [End] = []
}
