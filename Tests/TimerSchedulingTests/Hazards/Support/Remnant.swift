import Foundation
import TestSupport
import TimerScheduling

/// A user value that a timer holds, and the event that makes the timer release it.
enum Remnant: String, Codable, CaseIterable {
  case owner, ownerByAction
  case ruleByCancel, ruleByReschedule, ruleByShutdown
  case actionByCancel, actionByReplacement, actionByEnd, actionByFailure, actionByShutdown
  case errorByNextError, errorByEnd

  private struct Failure: Error {
    let witness: Witness
  }

  /// Makes a timer that alone holds something whose deinit makes the calls of `releases`.
  func makeTimer(on scheduler: TimerScheduler, owner: Witness?, _ releases: Releases) {
    switch self {
    case .owner:
      releases.follow(owner.map { scheduler.timer(on: .every(1), name: "job", owner: $0) })
    case .ownerByAction:
      releases.follow(
        owner.map { owner in
          scheduler.schedule(.every(1), name: "job", owner: owner) { _, _ in await releases.latch.wait() }
        })
    case .ruleByCancel, .ruleByReschedule, .ruleByShutdown:
      let captured = Witness { releases.callEverything() }
      let rule = Answering { date in withExtendedLifetime(captured) { date + 1 } }
      releases.follow(scheduler.timer(on: .rule(rule), name: "job"))
    case .actionByCancel, .actionByReplacement, .actionByEnd, .actionByFailure, .actionByShutdown:
      let captured = Witness { releases.callEverything() }
      let schedule = self == .actionByEnd ? TimerSchedule.after(1) : .every(1)
      releases.follow(
        scheduler.schedule(schedule, name: "job", onError: .finish) { _ in
          try withExtendedLifetime(captured) {
            if self == .actionByFailure { throw CancellationError() }
          }
        })
    case .errorByNextError, .errorByEnd:
      releases.follow(
        scheduler.schedule(.every(1), name: "job") { tick in
          guard tick.index == 0 else { throw CancellationError() }
          throw Failure(witness: Witness { releases.callEverything() })
        })
    }
  }
}
