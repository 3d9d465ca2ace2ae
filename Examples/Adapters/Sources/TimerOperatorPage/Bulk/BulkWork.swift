import Synchronization

/// The time for which work on many timers or jobs is held back, and for which it can be undone.
let undoTime = Duration.seconds(10)

/// An action on many timers or jobs, which takes time: how far it has come, and what it says of that.
package final class BulkWork<Action: BulkAction>: Sendable {
  package enum Phase: Sendable, Equatable {
    /// An action that waits for a while, as it can't be undone.
    case heldBack
    case underWay
    /// All were handled, or an operator or an error has stopped the work.
    case ended
  }

  private struct State {
    var phase: Phase
    var handledCount = 0
    var doneCount = 0
    /// Those that were in another state before.
    var changed: [Action.Key] = []
    var isStopped = false
    /// The error that has stopped the work.
    var failure = ""
    var isUndone = false
  }

  package let number: Int
  let action: Action
  let keys: [Action.Key]
  /// The sentences on how the work goes on. A reader that is slow gets the newest. The last one says how it
  /// has ended.
  package let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let state: Mutex<State>

  init(_ number: Int, _ action: Action, on keys: [Action.Key], phase: Phase) {
    self.number = number
    self.action = action
    self.keys = keys
    (lines, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(State(phase: phase))
    if phase == .heldBack { tell() }
  }

  package var phase: Phase { state.withLock(\.phase) }
  var isStopped: Bool { state.withLock(\.isStopped) }
  var doneCount: Int { state.withLock(\.doneCount) }

  // MARK: Going on

  func begin() { state.withLock { $0.phase = .underWay } }

  /// Notes that one was handled. It may have gone meanwhile, and then nothing was done to it.
  func noteHandled(_ key: Action.Key, isDone: Bool, isChanged: Bool) {
    state.withLock { state in
      state.handledCount += 1
      if isDone { state.doneCount += 1 }
      if isChanged { state.changed.append(key) }
    }
  }

  func tell() { continuation.yield(text) }

  /// Has the work end before its next timer or job, by an operator or by an error.
  func stop(for failure: String = "") {
    state.withLock { state in
      state.isStopped = true
      state.failure = failure
    }
  }

  func end() { state.withLock { $0.phase = .ended } }

  /// Ends what is told to the reader, even if the work goes on.
  func endLines() { continuation.finish() }

  /// Returns those that were changed, once, after the end.
  func takeChanged() -> [Action.Key]? {
    state.withLock { state in
      guard state.phase == .ended, !state.isUndone, !state.changed.isEmpty else { return nil }
      state.isUndone = true
      return state.changed
    }
  }

  var canBeUndone: Bool {
    state.withLock { state in
      switch state.phase {
      case .heldBack: true
      case .underWay: false
      case .ended: action.reverse != nil && !state.isUndone && !state.changed.isEmpty
      }
    }
  }

  // MARK: Words

  /// A sentence on how far the work has come.
  package var text: String {
    let state = state.withLock(\.self)
    let (done, all) = (Action.text(state.doneCount), Action.text(keys.count))
    let were = "\(state.doneCount == 1 ? "was" : "were") \(action.participle)."
    let failure = state.failure.isEmpty ? "" : " \(state.failure)"
    switch state.phase {
    case .heldBack: return "\(all) will be \(action.participle) in \(undoTime.components.seconds) s."
    case .underWay:
      return "\(action.participle) \(state.handledCount.grouped) of \(keys.count.grouped)"
    case .ended where state.isStopped && state.handledCount == 0:
      return "No \(Action.noun) was \(action.participle).\(failure)"
    case .ended where state.isStopped: return "Stopped: \(done) of \(keys.count.grouped) \(were)\(failure)"
    case .ended: return "\(done) \(were)"
    }
  }
}
