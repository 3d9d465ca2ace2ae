import TimerScheduling

/// Each way to make a timer that has an owner.
enum OwnedTimer: CaseIterable {
  case ticksOfDuration, ticksOfSeconds, ticksOfSchedule, timer, namedTimer, action
  case countdownOfDuration, countdownOfSeconds

  func make(on scheduler: TimerScheduler, owner: some AnyObject & Sendable) -> any Sendable {
    switch self {
    case .ticksOfDuration: scheduler.ticks(every: .seconds(1), owner: owner)
    case .ticksOfSeconds: scheduler.ticks(every: 1, owner: owner)
    case .ticksOfSchedule: scheduler.ticks(on: .every(1), owner: owner)
    case .timer: scheduler.timer(on: .every(1), owner: owner)
    case .namedTimer: scheduler.timer(on: .every(1), name: "owned", owner: owner)
    case .action: scheduler.schedule(.every(1), owner: owner) { _, _ in }
    case .countdownOfDuration: scheduler.countdown(from: .seconds(9), owner: owner)
    case .countdownOfSeconds: scheduler.countdown(from: 9, owner: owner)
    }
  }
}
