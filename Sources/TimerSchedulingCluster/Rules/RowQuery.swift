package import TimerSchedulingFoundation

/// The rows at which the rules of a request look.
package struct RowQuery: Sendable {
  /// Jobs by name. Of those without a row, the dates of their records are read.
  package var jobs: Set<String> = []
  /// The tokens of runs, for the rows that they hold and for their records.
  package var tokens: Set<Int64> = []
  package var sessions: Set<UUID> = []
  /// The sessions whose rows are read.
  package var holders: Set<UUID> = []
  /// The jobs, which are read by name as well, whose sessions are read: those whose replicas can run them.
  package var served: Set<String> = []
  /// The jobs whose dates of records are read, from a moment on.
  package var dates: [String: StoreTime] = [:]
  /// The jobs whose newest runs are read.
  package var begun: Set<String> = []
  package var hasPauses = false
  /// The number of tokens that may be given.
  package var tokenCount = 0
  /// A claim, for the rows that it may take.
  package var claim: ClaimRequest?
  /// Whether to read the rows that a clock which was ahead has accounted for.
  package var isAhead = false
  package var page: JobsRequest?
  package var hasBacklogs = false
  package var explained: DateRequest?

  package init(
    jobs: Set<String> = [], tokens: Set<Int64> = [], sessions: Set<UUID> = [], holders: Set<UUID> = [],
    served: Set<String> = [], hasPauses: Bool = false, claim: ClaimRequest? = nil, isAhead: Bool = false,
    page: JobsRequest? = nil, hasBacklogs: Bool = false, explained: DateRequest? = nil
  ) {
    (self.jobs, self.tokens, self.sessions, self.holders) = (jobs, tokens, sessions, holders)
    (self.served, self.hasPauses, self.claim, self.isAhead) = (served, hasPauses, claim, isAhead)
    (self.page, self.hasBacklogs, self.explained) = (page, hasBacklogs, explained)
  }

  /// A row that a rule asks for and that the read hasn't brought.
  enum Unread: Error, Hashable {
    case job(String), token(Int64), session(UUID), holder(UUID), served(String), begun(String)
    case dates(of: String, from: StoreTime)
    case pauses, nextToken, jobsAhead, notAsked
  }

  /// Adds what wasn't read. Returns false if it was asked for already.
  mutating func insert(_ unread: Unread) -> Bool {
    switch unread {
    case .job(let name): return jobs.insert(name).inserted
    case .token(let token): return tokens.insert(token).inserted
    case .session(let id): return sessions.insert(id).inserted
    case .holder(let id): return holders.insert(id).inserted
    case .begun(let name): return begun.insert(name).inserted
    case .served(let name): return served.insert(name).inserted
    case .dates(let name, let moment):
      guard dates[name].map({ $0 > moment }) ?? true else { return false }
      dates[name] = moment
    case .pauses:
      guard !hasPauses else { return false }
      hasPauses = true
    case .jobsAhead:
      guard !isAhead else { return false }
      isAhead = true
    case .nextToken: tokenCount += 1
    case .notAsked: return false
    }
    return true
  }
}
