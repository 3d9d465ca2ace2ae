import TestSupport
import TimerScheduling
import TimerSchedulingTesting

/// What a test leaves behind, with an object that it captures.
enum Leftover: String, CaseIterable, Codable, Sendable {
  case nothing, action, sleep, sleepOfClock, sleepOfScheduler, loop, limit, sleepOfAction, longSleepOfAction,
    addedTask

  func leave(on clock: VirtualClock, _ object: ReleaseProbe) {
    let scheduler = TimerScheduler(clock: clock)
    switch self {
    case .nothing: withExtendedLifetime(object) {}
    case .action: scheduler.schedule(every: 1) { _ in withExtendedLifetime(object) {} }
    case .sleep:
      // This goes on in real time.
      _ = Task {
        try? await Task.sleep(for: .milliseconds(30))
        withExtendedLifetime(object) {}
      }
    case .sleepOfClock:
      _ = Task {
        try? await clock.sleep(for: .seconds(3_600))
        withExtendedLifetime(object) {}
      }
    case .sleepOfScheduler:
      _ = Task {
        try? await scheduler.sleep(for: 3_600)
        withExtendedLifetime(object) {}
      }
    case .loop: _ = Task { for await _ in scheduler.ticks(every: 3_600) { withExtendedLifetime(object) {} } }
    case .limit:
      _ = Task {
        try? await withTimeout(3_600, on: scheduler) { try await scheduler.sleep(for: 7_200) }
        withExtendedLifetime(object) {}
      }
    case .sleepOfAction:
      scheduler.schedule(after: 0) { _ in
        try await Task.sleep(for: .milliseconds(30))
        withExtendedLifetime(object) {}
      }
    case .longSleepOfAction:
      scheduler.schedule(after: 0) { _ in
        try await scheduler.sleep(for: 3_600)
        withExtendedLifetime(object) {}
      }
    case .addedTask:
      clock.addTask {
        try? await clock.sleep(for: .seconds(3_600))
        withExtendedLifetime(object) {}
      }
    }
  }
}
