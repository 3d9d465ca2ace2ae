import Foundation
import TimerScheduling

/// This package's timers with an action, for a date.
struct DatedActions: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> ScheduledTimer {
    scheduler.schedule(.at(Date() + Double(delay.nanoseconds) / 1e9)) { [fired] _ in fired.note() }
  }
}

/// Timers that would repeat, but for a limit of one tick.
struct LimitedActions: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> ScheduledTimer {
    let schedule = TimerSchedule.every(.seconds(3600), starting: .after(delay.duration)).limit(1)
    return scheduler.schedule(schedule) { [fired] _ in fired.note() }
  }
}

/// Timers whose action calls an actor, and waits for it.
struct ActorActions: OneShotPeer {
  private actor Other {
    func work() {}
  }

  private let scheduler = TimerScheduler()
  private let other = Other()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> ScheduledTimer {
    scheduler.schedule(.after(delay.duration)) { [fired, other] _ in
      await other.work()
      fired.note()
    }
  }
}

/// Timers whose action sleeps for a millisecond, so that many are suspended at once.
struct SleepingActions: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> ScheduledTimer {
    scheduler.schedule(.after(delay.duration)) { [fired] _ in
      try await Task.sleep(for: .milliseconds(1))
      fired.note()
    }
  }
}

/// Timers with an owner each, which is given to the action.
struct OwnedActions: OneShotPeer {
  final class Owner: Sendable {
    private let fired: FireCounter

    init(_ fired: FireCounter) { self.fired = fired }

    func fire() { fired.note() }
  }

  struct Handle: Sendable {
    let owner: Owner
    let timer: ScheduledTimer
  }

  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> Handle {
    let owner = Owner(fired)
    return Handle(
      owner: owner,
      timer: scheduler.schedule(.after(delay.duration), owner: owner) { owner, _ in owner.fire() })
  }

  func cancel(_ handle: consuming Handle) { handle.timer.cancel() }
}

/// The same with an object that the action captures weakly.
struct WeaklyCapturingActions: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> OwnedActions.Handle {
    let owner = OwnedActions.Owner(fired)
    return OwnedActions.Handle(
      owner: owner,
      timer: scheduler.schedule(.after(delay.duration)) { [weak owner] _ in owner?.fire() })
  }

  func cancel(_ handle: consuming OwnedActions.Handle) { handle.timer.cancel() }
}

/// Timers with a name each.
struct NamedActions: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let made = FireCounter()
  private let fired: FireCounter

  init(fired: FireCounter) { self.fired = fired }

  func schedule(after delay: Delay) -> ScheduledTimer {
    made.note()
    return scheduler.schedule(.after(delay.duration), name: "timer \(made.count)") { [fired] _ in fired.note()
    }
  }
}

/// Timers of a scheduler whose observer is told of them.
struct ObservedActions: OneShotPeer {
  private struct Observer: TimerObserver {
    func observe(_ event: TimerEvent) {}
  }

  private let scheduler: TimerScheduler
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
    var configuration = TimerScheduler.Configuration()
    configuration.observer = Observer()
    scheduler = TimerScheduler(configuration: configuration)
  }

  func schedule(after delay: Delay) -> ScheduledTimer {
    scheduler.schedule(.after(delay.duration)) { [fired] _ in fired.note() }
  }
}
