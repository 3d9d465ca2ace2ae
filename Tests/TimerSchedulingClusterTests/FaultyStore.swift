import Foundation
import Synchronization
import TimerSchedulingCluster

/// A store as one replica sees it, over a network that fails when a test says so.
final class FaultyStore: TimerStore {
  struct Unreachable: Error {}
  struct Refused: Error {}

  private struct State {
    var isReachable = true
    var lostAnswers = 0
    var delay: (@Sendable () -> Void)?
    var claims: [(request: ClaimRequest, answer: ClaimAnswer?)] = []
    var questions = 0
    var renewals = 0
    var ends = 0
    var closes = 0
    var refusal: (@Sendable (RunEnd) -> Bool)?
    var locks: @Sendable (RunEnd) -> Bool = { _ in false }
    var endDelay: (@Sendable () async throws -> Void)?
  }

  private let store: any TimerStore
  private let state = Mutex(State())

  init(_ store: any TimerStore) { self.store = store }

  var isReachable: Bool {
    get { state.withLock(\.isReachable) }
    set { state.withLock { $0.isReachable = newValue } }
  }

  /// The claims that were asked for, with the answers of those that reached the store.
  var claims: [(request: ClaimRequest, answer: ClaimAnswer?)] { state.withLock(\.claims) }

  /// The number of questions.
  var questions: Int { state.withLock(\.questions) }

  /// The number of renewals that were asked for.
  var renewals: Int { state.withLock(\.renewals) }

  /// The number of requests that end runs.
  var ends: Int { state.withLock(\.ends) }

  /// The number of sessions that were given up.
  var closes: Int { state.withLock(\.closes) }

  /// Refuses the end of a run, as a database without the right to write it does, if `refusal` returns
  /// true for it.
  func refuseEnds(where refusal: @escaping @Sendable (RunEnd) -> Bool) {
    state.withLock { $0.refusal = refusal }
  }

  /// Locks rows against the ends of their runs, as an open transaction does, where `locks` returns true.
  func lockRows(where locks: @escaping @Sendable (RunEnd) -> Bool) { state.withLock { $0.locks = locks } }

  /// Calls `delay` after the store has performed each request that ends runs, and before the replica has the answer.
  func delayEnds(by delay: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.endDelay = delay }
  }

  /// Loses the answers to the next claims that bring rows, after the store has performed them.
  func loseAnswers(_ count: Int) { state.withLock { $0.lostAnswers = count } }

  /// Calls `delay` once, after the store has performed the next claim that brings rows and before the replica has the
  /// answer.
  func delayAnswer(by delay: @escaping @Sendable () -> Void) { state.withLock { $0.delay = delay } }

  private func reach() throws {
    let isReachable = state.withLock { state in
      state.questions += 1
      return state.isReachable
    }
    if !isReachable { throw Unreachable() }
  }

  func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    switch request.call {
    case let call as ClaimRequest: return StoreAnswer(try await claim(call))
    case let call as EndRequest:
      state.withLock { $0.ends += 1 }
      try reach()
      if let refusal = state.withLock(\.refusal), call.ends.contains(where: refusal) { throw Refused() }
      let isLocked = call.ends.map(state.withLock(\.locks))
      let open = zip(call.ends, isLocked).filter { !$1 }.map(\.0)
      var answer = try await store.end(open)
      for (index, isLocked) in isLocked.enumerated() where isLocked {
        answer.verdicts.insert(.locked, at: index)
      }
      try await state.withLock(\.endDelay)?()
      return StoreAnswer(answer)
    case is JobsRequest, is DateRequest, is HistoryRequest, is HistoryRemoval:
      return try await store.perform(request)
    default:
      if request.call is SessionRenewal { state.withLock { $0.renewals += 1 } }
      try reach()
      let answer = try await store.perform(request)
      if request.call is SessionClosing { state.withLock { $0.closes += 1 } }
      return answer
    }
  }

  private func claim(_ request: ClaimRequest) async throws -> ClaimAnswer {
    let index = state.withLock { state in
      state.claims.append((request, nil))
      return state.claims.count - 1
    }
    try reach()
    let answer = try await store.claim(request)
    state.withLock { $0.claims[index].answer = answer }
    guard !answer.runs.isEmpty else { return answer }
    state.withLock { $0.delay.take() }?()
    let isLost = state.withLock { state in
      guard state.lostAnswers > 0 else { return false }
      state.lostAnswers -= 1
      return true
    }
    if isLost { throw Unreachable() }
    return answer
  }
}
