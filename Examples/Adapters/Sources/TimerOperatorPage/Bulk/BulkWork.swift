import Synchronization

/// An action on many timers, which takes time: how far it has come, and what it says of that.
package final class BulkWork: Sendable {
  package enum Phase: Sendable, Equatable {
    /// A cancellation that waits for a while, as it can't be undone.
    case heldBack
    case underWay
    /// All timers were handled, or an operator has stopped the work.
    case ended
  }

  private struct State {
    var phase: Phase
    var handledCount = 0
    var doneCount = 0
    /// The timers that were in another state before.
    var changed: [TimerKey] = []
    var isStopped = false
    var isUndone = false
  }

  package let number: Int
  let action: TimerAction
  let keys: [TimerKey]
  /// The sentences on how the work goes on. A reader that is slow gets the newest. The last one says how it
  /// has ended.
  package let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let state: Mutex<State>

  init(_ number: Int, _ action: TimerAction, on keys: [TimerKey], phase: Phase) {
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

  /// Notes that a timer was handled. It may have finished meanwhile, and then nothing was done to it.
  func noteHandled(_ key: TimerKey, isDone: Bool, isChanged: Bool) {
    state.withLock { state in
      state.handledCount += 1
      if isDone { state.doneCount += 1 }
      if isChanged { state.changed.append(key) }
    }
  }

  func tell() { continuation.yield(text) }

  /// Has the work end before its next timer.
  func stop() { state.withLock { $0.isStopped = true } }

  func end() { state.withLock { $0.phase = .ended } }

  /// Ends what is told to the reader, even if the work goes on.
  func endLines() { continuation.finish() }

  /// Returns the timers that were changed, once, after the end.
  func takeChanged() -> [TimerKey]? {
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
    let (done, all) = (state.doneCount, keys.count)
    switch state.phase {
    case .heldBack:
      return "\(Self.timers(all)) will be \(action.participle) in \(BulkDesk.undoTime.components.seconds) s."
    case .underWay: return "\(action.participle) \(state.handledCount.grouped) of \(all.grouped)"
    case .ended where state.isStopped && state.handledCount == 0: return "No timer was \(action.participle)."
    case .ended where state.isStopped:
      return
        "Stopped: \(Self.timers(done)) of \(all.grouped) \(done == 1 ? "was" : "were") \(action.participle)."
    case .ended: return "\(Self.timers(done)) \(done == 1 ? "was" : "were") \(action.participle)."
    }
  }

  static func timers(_ count: Int) -> String { count == 1 ? "1 timer" : "\(count.grouped) timers" }
}
