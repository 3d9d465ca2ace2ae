/// When a replica claims next.
package struct ClaimPlan: Hashable {
  /// The moment of the store's clock at which to claim next, as far as is known since the last claim was
  /// sent.
  private(set) var next: StoreTime?
  /// The moment at which to claim what others have made due.
  private var told: StoreTime?
  private var sent: StoreTime?
  /// Whether the last claim was sent because a row was due.
  private var isForDate = false
  private var stepBack = Duration.zero
  /// By a clock that is never set, the moment before which nothing is asked, after a request that failed.
  private var pauseEnd = Duration.zero
  private var failures = 0
  private static let beginning = StoreTime(microseconds: .min)

  package init() {}

  /// Has the replica claim at a moment. Without a moment, at once.
  package mutating func want(at moment: StoreTime?) {
    let moment = moment ?? Self.beginning
    next = min(next ?? moment, moment)
  }

  /// Has the replica claim at a moment, as others have made jobs due. Further changes until then are the same
  /// claim's.
  package mutating func wantForChange(at moment: StoreTime?) { told = told ?? moment ?? Self.beginning }

  /// Has the replica claim for a job's date, unless it has claimed since then.
  package mutating func want(since date: StoreTime) {
    if sent.map({ $0 < date }) ?? true { want(at: date + stepBack) }
  }

  package mutating func sends(at now: StoreTime?) {
    isForDate = if let next, let now { next <= now && next > Self.beginning } else { false }
    (next, told, sent) = (nil, nil, now)
  }

  /// Notes an answer. It may have brought rows, and may know of another row that can be claimed at a moment.
  package mutating func answered(
    hasRows: Bool, next moment: StoreTime?, now: StoreTime, stepBack lost: Duration
  ) {
    (failures, pauseEnd) = (0, .zero)
    // The store's time is an estimate, so a claim that is meant to be in time may come early.
    let isEarly = stepBack == .zero && moment.map { $0 - now < .milliseconds(100) } ?? false
    if hasRows { stepBack = .zero } else if !isEarly { stepBackIfLost(by: lost) }
    if let moment { want(at: moment + stepBack) }
  }

  /// Notes an answer without rows, as others have locked one that is due.
  package mutating func foundLock(
    at elapsed: Duration, first: Duration, longest: Duration, stepBack lost: Duration
  ) {
    stepBackIfLost(by: lost)
    failed(at: elapsed, first: first, longest: longest)
  }

  /// A replica that has found nothing for a date has lost a race, and comes later than others until it finds
  /// something. So replicas with one job between them don't all ask for the same row, nor for each of its
  /// dates.
  private mutating func stepBackIfLost(by lost: Duration) { if isForDate { stepBack = lost } }

  /// Has the replica ask again after a wait, which doubles each time up to the longest.
  package mutating func failed(at elapsed: Duration, first: Duration, longest: Duration) {
    pauseEnd = elapsed + min(first * (1 << min(failures, 16)), longest)
    failures += 1
    next = Self.beginning
  }

  package func wait(at elapsed: Duration, now: StoreTime?, longest: Duration) -> Duration {
    let next = [next, told].compactMap(\.self).min()
    let wait = next.map { next in now.map { max(.zero, next - $0) } ?? .zero } ?? longest
    return max(min(wait, longest), pauseEnd - elapsed)
  }
}
