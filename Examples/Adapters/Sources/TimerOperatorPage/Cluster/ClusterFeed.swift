import TimerScheduling
import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store's answer on the jobs of a cluster.
enum ClusterLook: Sendable {
  case answered(ClusterOverview, JobList)
  /// The store hasn't answered.
  case failed(String)

  /// The time that the store has, so that the page comes even when a database doesn't answer.
  static let limit = 5.0

  var health: Health {
    switch self {
    case .answered(let overview, _): return overview.health
    case .failed:
      var health = Health()
      health.isStoreSilent = true
      return health
    }
  }
}

/// Asks a cluster's store for all pages that are open.
///
/// Pages with the same query get the same answer while the store is being asked. The longer that takes, the
/// less often it is done: for at most a tenth of the time.
actor ClusterFeed {
  nonisolated let cluster: TimerCluster
  private let now: @Sendable () -> Date
  private let elapsed: @Sendable () -> Duration
  private var budget = LookBudget()
  private var answers: [JobQuery: Answer] = [:]
  private var looks: [JobQuery: Task<Answer, Never>] = [:]
  /// The number of changes that were made on the page. An answer from before one isn't kept.
  private var changeCount = 0
  /// The chart of the last day, and when it was made.
  private var day: (chart: DayChart, time: Duration)?

  /// An answer, and when the store was asked for it.
  struct Answer: Sendable {
    let look: ClusterLook
    let time: Duration
  }

  /// The time for which the chart of the last day is kept, as many runs are read for it.
  private static let dayInterval = Duration.seconds(60)
  /// The number of queries whose answers are kept.
  private static let answerLimit = 100

  init(
    of cluster: TimerCluster, now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration
  ) {
    (self.cluster, self.now, self.elapsed) = (cluster, now, elapsed)
  }

  /// Returns the newest answer, or a new one if there is time for it.
  func look(for query: JobQuery) async -> Answer {
    if let answer = answers[query], !budget.allowsLook(at: elapsed()) { return answer }
    if let look = looks[query] { return await look.value }
    let look = Task { await ask(query, after: changeCount) }
    looks[query] = look
    return await look.value
  }

  /// The troubles of the jobs.
  func health() async -> Health { await look(for: JobQuery()).look.health }

  /// Forgets the answers after a change.
  func forget() {
    answers = [:]
    looks = [:]
    changeCount += 1
  }

  private func ask(_ query: JobQuery, after changes: Int) async -> Answer {
    let (start, date) = (elapsed(), now())
    let day = day.flatMap { start - $0.time < Self.dayInterval ? $0.chart : nil }
    let known: [String: JobList.OlderRun] =
      if case .answered(_, let list)? = answers[query]?.look { list.older } else { [:] }
    let look: ClusterLook
    do {
      look = try await withTimeout(ClusterLook.limit) { [cluster] in
        let overview = try await ClusterOverview(of: cluster, now: date, day: day)
        return .answered(overview, try await JobList(of: cluster, query, overview, known: known))
      }
    } catch {
      look = .failed("\(error)")
    }
    if day == nil, case .answered(let overview, _) = look { self.day = (overview.day, start) }
    let answer = Answer(look: look, time: start)
    budget.noteLook(from: start, to: elapsed())
    guard changes == changeCount else { return answer }
    looks[query] = nil
    if answers.count >= Self.answerLimit { answers = [:] }
    answers[query] = answer
    return answer
  }
}
