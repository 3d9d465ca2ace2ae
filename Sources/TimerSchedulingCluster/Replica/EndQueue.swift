import TimerScheduling

/// Reports the ends of runs to the store. Ends that come while a request is under way share the next one.
final class EndQueue: Sendable {
  private typealias Batch = Task<Result<EndAnswer, any Error>, Never>

  private struct State {
    /// The ends of each request to come.
    var waiting: [[RunEnd]] = []
    /// The newest task, which makes the last of them.
    var last: Batch?
    /// Whether that request takes further ends, up to 500.
    var isOpen = false
  }

  private let store: any TimerStore
  private let companion: TimerScheduler
  private let longest: Duration
  private let state = Lock(State())

  init(store: any TimerStore, companion: TimerScheduler, longest: Duration) {
    (self.store, self.companion, self.longest) = (store, companion, longest)
  }

  /// Has the store write an end, and returns the answer with its verdict only. With `isAlone`, the end has a
  /// request of its own.
  func send(_ end: RunEnd, isAlone: Bool) async throws -> EndAnswer {
    let (batch, index) = state.withLock { state in
      if !isAlone, state.isOpen, let batch = state.last, let count = state.waiting.last?.count,
        count < 500
      {
        state.waiting[state.waiting.count - 1].append(end)
        return (batch, count)
      }
      let batch = companion.makeTask { [self, before = state.last] in
        if let before { _ = await companion.value(of: before) }
        return await sendNext()
      }
      state.waiting.append([end])
      (state.last, state.isOpen) = (batch, !isAlone)
      return (batch, 0)
    }
    var answer = try await companion.value(of: batch).get()
    answer.verdicts = [answer.verdicts[index]]
    return answer
  }

  private func sendNext() async -> Result<EndAnswer, any Error> {
    let ends = state.withLock { $0.waiting.removeFirst() }
    do {
      let answer = try await companion.ask(store, within: longest) { try await $0.end(ends) }
      guard answer.verdicts.count == ends.count else { throw UnexpectedAnswer("\(answer)") }
      return .success(answer)
    } catch {
      return .failure(error)
    }
  }
}
