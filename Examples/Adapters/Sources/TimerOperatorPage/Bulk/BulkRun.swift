import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Does work to one timer after the other, off every actor and every scheduler's queue.
struct BulkRun: Sendable {
  /// The time after which others get their turn.
  private static let sliceLength = Duration.milliseconds(10)
  /// The time between two sentences on how far the work has come.
  private static let tellingInterval = Duration.seconds(1)
  /// The number of timers that are looked up at a time, which is done on their scheduler's queue.
  private static let batchSize = 64
  /// The number of changes of which the trail is told at a time.
  private static let noteSize = 8_192

  let work: BulkWork<TimerAction>
  let operatorName: String?
  let feed: TimerFeed
  let trail: AuditTrail

  @concurrent func perform(sliceEnded: @Sendable (BulkWork<TimerAction>) async -> Void) async {
    var (sliceEnd, nextTelling) = (feed.elapsed() + Self.sliceLength, Duration.zero)
    var changed: [TimerKey] = []
    var batch: [(key: TimerKey, timer: ScheduledTimer?)] = []
    for start in stride(from: 0, to: work.keys.count, by: Self.batchSize) {
      batch = await timers(work.keys[start..<min(start + Self.batchSize, work.keys.count)])
      for (key, timer) in batch {
        guard !work.isStopped else { return note(changed) }
        let outcome = timer.flatMap { timer in try? work.action.perform(on: timer) }
        work.noteHandled(key, isDone: outcome != nil, isChanged: outcome == true)
        if outcome == true { changed.append(key) }
        let now = feed.elapsed()
        guard now >= sliceEnd else { continue }
        if now >= nextTelling {
          work.tell()
          nextTelling = now + Self.tellingInterval
        }
        await sliceEnded(work)
        sliceEnd = feed.elapsed() + Self.sliceLength
      }
      if changed.count >= Self.noteSize {
        note(changed)
        changed = []
      }
    }
    note(changed)
  }

  /// Looks timers up, those of one scheduler together.
  private func timers(_ keys: ArraySlice<TimerKey>) async -> [(key: TimerKey, timer: ScheduledTimer?)] {
    var found: [(key: TimerKey, timer: ScheduledTimer?)] = []
    var rest = keys
    while let first = rest.first {
      let part = rest.prefix { $0.scheduler == first.scheduler }
      let timers = await feed.scheduler(first)?.timers(part.map(\.id)) ?? part.map { _ in nil }
      found += zip(part, timers).map { (key: $0, timer: $1) }
      rest = rest[part.endIndex...]
    }
    return found
  }

  private func note(_ changed: [TimerKey]) {
    guard !changed.isEmpty else { return }
    switch work.action {
    case .pause: trail.notePause(of: changed, by: operatorName, at: Date())
    case .resume: trail.noteResume(of: changed)
    case .fire, .cancel: break
    }
  }
}

extension TimerScheduler {
  /// Returns the timers with these identifiers. Nil for those that have finished.
  fileprivate func timers(_ ids: [TimerID]) -> [ScheduledTimer?] { ids.map { timer(id: $0) } }
}
