import Synchronization
package import TimerScheduling

/// The live sessions, each of which expires when it was idle for a while.
///
/// A session costs a timer and no task: each request restarts the timer by one call. The timers have no name,
/// and a tolerance of a twentieth of the timeout, so that thousands of them share a wakeup.
package final class SessionStore: Sendable {
  fileprivate struct Entry {
    let user: String
    var requests = 0
    let timer: ScheduledTimer?
  }

  private struct State {
    var entries: [SessionID: Entry] = [:]
    var counts = SessionCounts()
  }

  private let scheduler: TimerScheduler
  private let idleTime: TimerSchedule?
  private let limit: Int
  /// Guards the sessions. Calls of timers are made under it, as none of them waits or calls back.
  private let state = Mutex(State())

  /// Creates a store without sessions.
  ///
  /// - Parameters:
  ///   - scheduler: Where the timers live.
  ///   - timeout: How long a session may be idle. With nil it lives until it is deleted.
  ///   - limit: The number of sessions that there may be at a time.
  package init(on scheduler: TimerScheduler, timeout: Duration?, limit: Int) {
    self.scheduler = scheduler
    idleTime = timeout.map { .after($0).tolerance($0 / 20) }
    self.limit = limit
  }

  package var count: Int { state.withLock(\.entries.count) }

  package var counts: SessionCounts { state.withLock(\.counts) }

  /// Begins a session. Returns nil if there are too many.
  package func create(user: String) -> Session? {
    let id = SessionID()
    return state.withLock { state -> Session? in
      guard state.entries.count < limit else { return nil }
      let timer = idleTime.map { idleTime in
        scheduler.schedule(idleTime) { [weak self] _ in self?.expire(id) }
      }
      let entry = Entry(user: user, timer: timer)
      state.entries[id] = entry
      state.counts.created += 1
      return Session(id, entry)
    }
  }

  /// Counts a request, and has the session live for another timeout. Returns nil if there is no such session.
  package func touch(_ id: SessionID) -> Session? {
    state.withLock { state -> Session? in
      state.entries[id]?.requests += 1
      guard let entry = state.entries[id] else { return nil }
      if let idleTime { entry.timer?.reschedule(idleTime) }
      return Session(id, entry)
    }
  }

  /// Ends a session. Returns whether there was one.
  package func delete(_ id: SessionID) -> Bool {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: id) else { return false }
      entry.timer?.cancel()
      state.counts.deleted += 1
      return true
    }
  }

  private func expire(_ id: SessionID) {
    state.withLock { state in
      // A request that came after the tick, and before this, has restarted the timer.
      guard let entry = state.entries[id], entry.timer?.nextDate == nil else { return }
      state.entries[id] = nil
      state.counts.expired += 1
    }
  }
}

extension Session {
  fileprivate init(_ id: SessionID, _ entry: SessionStore.Entry) {
    self.init(id: id.description, user: entry.user, requests: entry.requests)
  }
}
