import TimerScheduling
import TimerSchedulingFoundation

/// The moments until which a replica may rest, and the renewal of sessions meanwhile.
extension MemoryTables {
  /// Renews sessions that aren't over.
  mutating func renew(_ ids: [UUID]) {
    for id in ids {
      guard var session = session(id), !session.isOver else { continue }
      session.leaseEnd = now + session.lease
      save(session, id)
    }
  }

  /// Returns the next moment at which an answer may be another one though nothing is changed: a row becomes
  /// due, or the lease of a session ends that isn't `renewed` in time. Nil for none.
  func nextMoment(renewing renewed: [UUID]) -> StoreTime? {
    let (now, renewed) = (now, Set(renewed))
    let dates = rows.values.filter { $0.holder == nil && !$0.job.isPaused }.compactMap(\.job.nextTime)
    let ends = sessions.filter { !$1.isOver && !renewed.contains($0) }.map(\.value.leaseEnd)
    return (dates + ends).filter { $0 > now }.min()
  }

  /// Returns the moment from which records are to be removed: those beyond an age, and those beyond a number.
  /// Nil for none.
  func nextRemoval(_ limits: HistoryLimits) -> StoreTime? {
    func isApart(_ run: RunRow) -> Bool { limits.failedAge != nil && run.isFailed }
    if let count = limits.count, history.count > count,
      history.dropLast(count).contains(where: { !isApart($0) })
    {
      return now
    }
    let ends = [(limits.failedAge, true), (limits.age, false)].compactMap { age, isFailed in
      age.flatMap { age in history.first { isApart($0) == isFailed }.map { ($0.record.beganTime + age).next }
      }
    }
    return ends.min()
  }
}
