import Foundation
import TimerSchedulingCluster

/// A store in memory that alters the requests it is given, or its answers.
struct AlteredStore: TimerStore {
  struct Alterations: Sendable {
    var registration: @Sendable (inout SessionRegistration) -> Void = { _ in }
    var registered: @Sendable (inout SessionAnswer) -> Void = { _ in }
    var request: @Sendable (inout ClaimRequest) -> Void = { _ in }
    var claimed: @Sendable (inout ClaimAnswer, ClaimRequest) -> Void = { _, _ in }
    var ends: @Sendable (inout [RunEnd]) -> Void = { _ in }
    var ended: @Sendable (inout EndAnswer) -> Void = { _ in }
    var givenUp: @Sendable (inout [Int64]) -> Void = { _ in }
    var renewed: @Sendable (inout RenewalAnswer) -> Void = { _ in }
    var isClosed = true
    var isKnown: @Sendable (inout Bool) -> Void = { _ in }
    var listed: @Sendable (inout JobsRequest) -> Void = { _ in }
    var job: @Sendable (inout ClusterJob) -> Void = { _ in }
    var history: @Sendable (inout [ClusterRunRecord]) -> Void = { _ in }
    var put: @Sendable (inout PutRequest.Job) -> Void = { _ in }
    var removal: @Sendable (inout RemovalRequest) -> Void = { _ in }
    var removed: @Sendable (inout RemovalRequest.Answer) -> Void = { _ in }
    var retry: @Sendable (inout RetryRequest) -> Void = { _ in }
    var retried: @Sendable (inout RetryRequest.Answer) -> Void = { _ in }
    var backlogs: @Sendable (inout BacklogsRequest.Answer) -> Void = { _ in }
    var paused: @Sendable (inout PauseRequest) -> Void = { _ in }
    var pauses: @Sendable (inout PausesRequest.Answer) -> Void = { _ in }
    var explained: @Sendable (inout DateRequest.Answer) -> Void = { _ in }
    var removedCount: @Sendable (inout Int) -> Void = { _ in }
  }

  let store: MemoryTimerStore
  let alterations: Alterations

  func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    switch request.call {
    case let call as SessionRegistration:
      return try await altered(call, alterations.registration, alterations.registered)
    case let call as ClaimRequest:
      return try await altered(call, alterations.request) { alterations.claimed(&$0, call) }
    case let call as EndRequest:
      return try await altered(call, { alterations.ends(&$0.ends) }, alterations.ended)
    case let call as SessionRenewal:
      return try await altered(call, { alterations.givenUp(&$0.givesUp) }, alterations.renewed)
    case is SessionClosing where !alterations.isClosed: return StoreAnswer(SessionClosing.Answer())
    case let call as PauseRequest:
      return try await altered(call, alterations.paused, { alterations.isKnown(&$0.found) })
    case let call as PausesRequest: return try await altered(call, { _ in }, alterations.pauses)
    case let call as PutRequest:
      return try await altered(
        call, { for index in $0.jobs.indices { alterations.put(&$0.jobs[index]) } }, { _ in })
    case let call as RemovalRequest:
      return try await altered(call, alterations.removal, alterations.removed)
    case let call as RetryRequest: return try await altered(call, alterations.retry, alterations.retried)
    case let call as BacklogsRequest: return try await altered(call, { _ in }, alterations.backlogs)
    case let call as JobsRequest:
      return try await altered(call, alterations.listed) { answer in
        for index in answer.jobs.indices { alterations.job(&answer.jobs[index]) }
      }
    case let call as HistoryRequest:
      return try await altered(call, { _ in }, { alterations.history(&$0.runs) })
    case let call as DateRequest: return try await altered(call, { _ in }, alterations.explained)
    case let call as HistoryRemoval:
      return try await altered(call, { _ in }, { alterations.removedCount(&$0.count) })
    default: return try await store.perform(request)
    }
  }

  private func altered<Call: StoreCall>(
    _ call: Call, _ alterCall: (inout Call) -> Void, _ alterAnswer: (inout Call.Answer) -> Void
  ) async throws -> StoreAnswer {
    var call = call
    alterCall(&call)
    var answer = try await store.answer(call)
    alterAnswer(&answer)
    return StoreAnswer(answer)
  }

  /// A statement for the ends of runs, if there is to be one.
  func statement(for request: StoreRequest) -> (sql: String, parameters: [String?])? {
    guard let request = request.call as? EndRequest else { return nil }
    return ("end", request.ends.map { "\($0.token)" })
  }
}
