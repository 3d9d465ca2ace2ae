import TimerScheduling

extension ClusterReplica {
  /// Deletes some old records of runs, if there are limits: each minute, or each second while there are more.
  func tidy(at now: StoreTime) {
    let isWanted = state.withLock { state in
      guard historyAge != nil || historyCount != nil, elapsed >= state.tidied else { return false }
      state.tidied = elapsed + .seconds(60)
      return true
    }
    guard isWanted else { return }
    let removal = HistoryRemoval(before: historyAge.map { now - $0 }, keeping: historyCount)
    companion.schedule(.after(.zero)) { [weak self] _ in
      guard let self, let answer = try? await store.answer(removal) else { return }
      if answer.count == removal.limit { state.withLock { $0.tidied = self.elapsed + .seconds(1) } }
    }
  }
}
