import Foundation
import Synchronization
import TimerSchedulingCluster

/// A store as one replica sees it, over a network that fails when a test says so.
@dynamicMemberLookup
final class FaultyStore: TimerStore {
  struct Unreachable: Error {}
  struct Refused: Error {}

  /// The record of the requests, and the faults to make. Each field is also a property of the store.
  struct State {
    /// The claims that were asked for, with the answers of those that reached the store.
    var claims: [(request: ClaimRequest, answer: ClaimAnswer?)] = []
    /// The numbers of questions, renewals, requests that end runs, and sessions that were given up.
    var (questions, renewals, ends, closes) = (0, 0, 0, 0)

    var isReachable = true
    /// The number of answers to lose, to the next claims that bring rows, after the store has performed them.
    var lostAnswers = 0
    /// Called once, after the store has performed the next claim that brings rows, before the answer comes.
    var answerDelay: (@Sendable () -> Void)?
    /// Whether the end of a run is refused, as by a database without the right to write it.
    var refusesEnd: @Sendable (RunEnd) -> Bool = { _ in false }
    /// Whether the row of a run is locked against its end, as by an open transaction.
    var locksRow: @Sendable (RunEnd) -> Bool = { _ in false }
    /// Called after the store has performed each request that ends runs, and before the answer comes.
    var endDelay: (@Sendable () async throws -> Void)?
  }

  private let store: any TimerStore
  private let state = Mutex(State())

  init(_ store: any TimerStore) { self.store = store }

  subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<State, Value>) -> Value {
    get { state.withLock { $0[keyPath: path] } }
    set { state.withLock { $0[keyPath: path] = newValue } }
  }

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
      if call.ends.contains(where: state.withLock(\.refusesEnd)) { throw Refused() }
      let isLocked = call.ends.map(state.withLock(\.locksRow))
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
    let answer = try await store.answer(request)
    state.withLock { $0.claims[index].answer = answer }
    guard !answer.runs.isEmpty else { return answer }
    state.withLock { $0.answerDelay.take() }?()
    let isLost = state.withLock { state in
      guard state.lostAnswers > 0 else { return false }
      state.lostAnswers -= 1
      return true
    }
    if isLost { throw Unreachable() }
    return answer
  }
}
