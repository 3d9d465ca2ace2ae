import TimerScheduling

/// Reports the ends of runs to the store. Ends that come while a request is under way share the next one.
final class EndQueue: Sendable {
  /// The ends of one request, and its answer.
  private final class Batch: Sendable {
    struct State {
      var ends: [RunEnd] = []
      var result: Result<[EndAnswer.Verdict], any Error>?
    }

    /// The timer that sends the batch before.
    let before: ScheduledTimer?
    /// Guards the ends and their result.
    let state = Lock(State())

    init(after before: ScheduledTimer?) { self.before = before }
  }

  private struct State {
    /// The batch that ends may join, until it is sent.
    var open: Batch?
    /// The timer that sends the newest batch.
    var timer: ScheduledTimer?
  }

  /// The greatest number of ends of one request.
  private static let limit = 500

  private let store: any TimerStore
  private let companion: TimerScheduler
  private let limit: RequestLimit
  /// The longest time of a request.
  private let longest: Duration
  /// Guards which batch is open. A batch's own lock and a scheduler's are taken under it.
  private let state = Lock(State())

  init(store: any TimerStore, companion: TimerScheduler, longest: Duration) {
    (self.store, self.companion, self.longest) = (store, companion, longest)
    limit = RequestLimit(store: store, companion: companion)
  }

  /// Reports an end, and returns the store's verdict. With `isAlone`, it has a request of its own.
  func report(_ end: RunEnd, isAlone: Bool = false) async throws -> EndAnswer.Verdict {
    let (batch, index, timer) = state.withLock { state in
      if !isAlone, let batch = state.open, let timer = state.timer {
        let index = batch.state.withLock { batch in
          batch.ends.append(end)
          return batch.ends.count - 1
        }
        if index + 1 == Self.limit { state.open = nil }
        return (batch, index, timer)
      }
      let batch = Batch(after: state.timer)
      batch.state.withLock { $0.ends = [end] }
      let timer = companion.schedule(.after(.zero)) { [self] _ in await send(batch) }
      (state.open, state.timer) = (isAlone ? nil : batch, timer)
      return (batch, 0, timer)
    }
    timer.fire()
    await timer.waitUntilFinished()
    guard let result = batch.state.withLock(\.result) else { throw CancellationError() }
    return try result.get()[index]
  }

  private func send(_ batch: Batch) async {
    // Meanwhile, ends join this batch.
    await batch.before?.waitUntilFinished()
    state.withLock { if $0.open === batch { $0.open = nil } }
    let ends = batch.state.withLock(\.ends)
    let result: Result<[EndAnswer.Verdict], any Error>
    do {
      let answer = try await limit.apply(longest) { [store] in try await store.end(ends) }
      guard answer.verdicts.count == ends.count else { throw UnexpectedAnswer("\(answer)") }
      result = .success(answer.verdicts)
    } catch {
      result = .failure(error)
    }
    batch.state.withLock { $0.result = result }
  }
}
