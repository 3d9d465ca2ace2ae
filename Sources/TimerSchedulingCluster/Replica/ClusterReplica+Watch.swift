import TimerScheduling

/// The task in which the store tells of changes.
extension ClusterReplica {
  /// Has the store tell when others have made jobs due, until ``endWatching()``.
  func beginWatching() {
    guard state.withLock({ $0.watch == nil }) else { return }
    let watch = Task.detached { [weak self, store, companion, name, lease] in
      while !Task.isCancelled {
        do {
          return try await store.watch { [weak self] in self?.wakeForChange() }
        } catch {
          if Task.isCancelled { return }
          self?.report(.storeFailed(replica: name, underlying: error))
        }
        try? await companion.sleep(for: lease / 3)
        // The store may have told of changes meanwhile.
        self?.wakeForChange()
      }
    }
    state.withLock { $0.watch = watch }
  }

  func endWatching() { state.withLock { $0.watch.take() }?.cancel() }
}
