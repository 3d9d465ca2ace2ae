import TimerScheduling

/// The thing that a timer without an owner is bound to, by its constructor.
enum Binding: CaseIterable {
  case stream, namedStream, streamOfSchedule, handle, listener, countdown, values
  case namedHandle, namedCountdown, action

  var endsWithHandle: Bool {
    switch self {
    case .stream, .namedStream, .streamOfSchedule, .handle, .listener, .countdown, .values: true
    case .namedHandle, .namedCountdown, .action: false
    }
  }

  func make(on scheduler: TimerScheduler) -> any Sendable {
    switch self {
    case .stream: scheduler.ticks(every: 10)
    case .namedStream: scheduler.ticks(every: 10, name: "name")
    case .streamOfSchedule: scheduler.ticks(on: .after(10))
    case .handle: scheduler.timer(on: .every(10))
    case .listener: scheduler.timer(on: .every(10)).firings
    case .countdown: scheduler.countdown(from: .seconds(60))
    case .values: scheduler.countdown(from: .seconds(60)).values
    case .namedHandle: scheduler.timer(on: .every(10), name: "name")
    case .namedCountdown: scheduler.countdown(from: .seconds(60), name: "name")
    case .action: scheduler.schedule(.every(10)) { _ in }
    }
  }
}
