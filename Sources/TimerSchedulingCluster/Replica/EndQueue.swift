import TimerScheduling

/// Reports the ends of runs to the store. Ends that come while a request is under way share the next one.
final class EndQueue: Sendable {
  private typealias Batch = Task<Result<[EndAnswer.Verdict], any Error>, Never>

  private struct State {
    /// The ends of the next request.
    var ends: [RunEnd] = []
    /// The task that makes it. Nil if there is none.
    var next: Batch?
    /// The newest task.
    var last: Batch?
  }

  /// The greatest number of ends of one request.
  private static let limit = 500

  private let store: any TimerStore
  private let companion: TimerScheduler
  private let limit: RequestLimit
  /// The longest time of a request.
  private let longest: Duration
  /// Guards the ends. Tasks are made under it.
  private let state = Lock(State())

  init(store: any TimerStore, companion: TimerScheduler, longest: Duration) {
    (self.store, self.companion, self.longest) = (store, companion, longest)
    limit = RequestLimit(store: store, companion: companion)
  }

  /// Reports an end, and returns the store's verdict. With `isAlone`, it has a request of its own.
  func report(_ end: RunEnd, isAlone: Bool = false) async throws -> EndAnswer.Verdict {
    let (batch, index) = state.withLock { state in
      if !isAlone, let batch = state.next {
        state.ends.append(end)
        return (batch, state.ends.count - 1)
      }
      let batch = companion.makeTask { [self, before = state.last] in
        if let before { _ = await companion.value(of: before) }
        return await send(isAlone ? [end] : takeEnds())
      }
      if !isAlone { (state.next, state.ends) = (batch, [end]) }
      state.last = batch
      return (batch, 0)
    }
    return try await companion.value(of: batch).get()[index]
  }

  private func takeEnds() -> [RunEnd] {
    state.withLock { state in
      defer { (state.next, state.ends) = (nil, []) }
      return state.ends
    }
  }

  private func send(_ ends: [RunEnd]) async -> Result<[EndAnswer.Verdict], any Error> {
    var verdicts: [EndAnswer.Verdict] = []
    do {
      for first in stride(from: 0, to: ends.count, by: Self.limit) {
        let part = Array(ends[first...].prefix(Self.limit))
        let answer = try await limit.apply(longest) { [store] in try await store.end(part) }
        guard answer.verdicts.count == part.count else { throw UnexpectedAnswer("\(answer)") }
        verdicts += answer.verdicts
      }
      return .success(verdicts)
    } catch {
      return .failure(error)
    }
  }
}
