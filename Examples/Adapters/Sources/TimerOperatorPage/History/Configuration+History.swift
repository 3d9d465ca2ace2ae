import TimerObserving
public import TimerScheduling

extension TimerScheduler.Configuration {
  /// Keeps in a history how late timers tick, how long their actions run, and what these throw.
  ///
  /// It encloses the interceptor that is there, so the run time has that of the interceptor, too. An observer
  /// that is there is told of events before the history. Set both before this call.
  ///
  /// ```swift
  /// let history = TimerHistory()
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.record(in: history)
  /// ```
  ///
  /// - Parameter history: Where to keep it. One history is for one scheduler.
  public mutating func record(in history: TimerHistory) {
    observer = observer.map { TimerObservers($0, history) } ?? history
    encloseActions { tick, body in
      let start = ContinuousClock.now
      if let timer = ActionRun.current?.timer { history.noteBegin(of: timer) }
      do {
        try await body()
        history.note(tick, since: start, .ended)
      } catch {
        history.note(tick, since: start, .throwing(error))
        throw error
      }
    }
  }
}

extension TimerHistory {
  fileprivate func note(_ tick: TimerTick, since start: ContinuousClock.Instant, _ outcome: PastRun.Outcome) {
    guard let timer = ActionRun.current?.timer else { return }
    note(PastRun(for: tick, duration: ContinuousClock.now - start, outcome: outcome), of: timer)
  }
}
