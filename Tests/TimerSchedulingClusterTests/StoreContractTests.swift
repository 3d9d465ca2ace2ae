import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The contract names the rule that a store breaks.
@Suite(.limited) struct StoreContractTests {
  /// Each rule, with alterations that break it and no earlier one.
  static let violations: [(rule: String, alterations: AlteredStore.Alterations)] = [
    ("A new job's cursor is the present", .init(registration: { $0.cursor = $0.cursor + .seconds(1) })),
    ("A known job stays unchanged", .init(registration: { ($0.cursor, $0.knownSince) = ($0.now, $0.now) })),
    ("The store's time advances", .init(registration: { $0.now = $0.cursor })),
    ("A date that is later than the store's clock is early", .replacing(.early, by: .paused)),
    ("A due date is claimed", .claims(where: { _ in true }, by: .early)),
    ("A claim is for its date", .init(verdict: { verdict, _ in verdict.change { $0.missedCount += 1 } })),
    ("A repeated claim has the same answer", .growingTokens()),
    (
      "A job whose lease is alive is busy",
      .init(verdict: { verdict, _ in if case .busy = verdict { verdict = .early } })
    ),
    ("Only a live token is renewed", .init(renewed: { $0 = $1 })),
    ("A run under way is shown", .init(job: { $0.run = nil })),
    ("Skipped dates are counted", .init(job: { $0.missedCount = 0 })),
    ("A run is finished, and may be finished again", .init(isFinished: { $0 = false })),
    (
      "A date is claimed once",
      .init(verdict: { if $0 == .moved(cursor: $1.date) { $0 = .early } })
    ),
    ("The next date is claimed", .claims(where: { $0.token == 2 }, by: .early)),
    ("An abandoned run is claimed again", .claims(where: { $0.attempt == 2 }, by: .early)),
    (
      "Tokens only grow",
      .init(verdict: { verdict, _ in verdict.change { if $0.attempt == 2 { $0.token = 1 } } })
    ),
    ("An abandoned run can't finish", .init(isFinished: { $0 = true })),
    (
      "Without attempts left the run is abandoned for good",
      .init(verdict: { if $0 == .early, $1.attempts == 2 { $0 = .paused } })
    ),
    ("Abandoned runs are recorded", .records { $0.outcome = .failed }),
    ("A known job is paused", .init(isKnown: { $0 = false })),
    ("An unknown job isn't paused", .init(isKnown: { $0 = true })),
    ("A paused job isn't claimed", .replacing(.paused, by: .early)),
    (
      "The dates of a pause aren't run",
      .init(verdict: { if case .moved(let cursor) = $0, cursor != $1.date { $0 = .early } })
    ),
    ("A resumed job is claimed", .claims(where: { $0.token == 4 }, by: .early)),
    ("A failure is recorded", .records { $0.failure = nil }),
    ("A changed schedule is known since its registration", .init(fingerprint: { $0 = "one" })),
    ("The newest runs come first", .init(history: { $0.reverse() })),
    ("Records of ended runs are removed", .init(removedCount: { $0 = 0 })),
  ]

  @Test(arguments: violations.indices)
  func `A store that breaks a rule is told which`(index: Int) async {
    let (rule, alterations) = Self.violations[index]
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let store = AlteredStore(store: MemoryTimerStore { clock.date }, alterations: alterations)
    let violation = await #expect(throws: TimerStoreContract.Violation.self) {
      try await TimerStoreContract(store) { await clock.advance(by: $0) }.check()
    }
    #expect(violation?.description.hasPrefix(rule) == true)
  }
}

extension AlteredStore.Alterations {
  fileprivate static func replacing(_ old: ClaimVerdict, by new: ClaimVerdict) -> Self {
    Self(verdict: { verdict, _ in if verdict == old { verdict = new } })
  }

  /// Answers `new` in place of certain claims.
  fileprivate static func claims(
    where isReplaced: @escaping @Sendable (ClaimVerdict.Claim) -> Bool, by new: ClaimVerdict
  ) -> Self {
    Self(verdict: { verdict, _ in
      if case .claimed(let claim) = verdict, isReplaced(claim) { verdict = new }
    })
  }

  /// Each claim has a token of its own, even if it is repeated.
  fileprivate static func growingTokens() -> Self {
    let claimCount = Mutex<Int64>(0)
    return Self(verdict: { verdict, _ in
      let number = claimCount.withLock { count in
        count += 1
        return count
      }
      verdict.change { $0.token += number }
    })
  }

  fileprivate static func records(_ change: @escaping @Sendable (inout ClusterRunRecord) -> Void) -> Self {
    Self(history: { records in for index in records.indices { change(&records[index]) } })
  }
}

extension ClaimVerdict {
  fileprivate mutating func change(_ change: (inout Claim) -> Void) {
    guard case .claimed(var claim) = self else { return }
    change(&claim)
    self = .claimed(claim)
  }
}
