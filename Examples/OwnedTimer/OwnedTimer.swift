// Releases two owners of timers and shows when their timers end: those of any Sendable object at their next
// deadline, or when the scheduler next checks owners; those of a TimerOwner at the moment of release.
// Each line begins with the time since the start. Then it exits.
//
//     swift run OwnedTimer

import Foundation
import TimerScheduling

/// A Sendable class can own its timers itself.
final class Cache: Sendable {
  func startTimers(on scheduler: TimerScheduler) -> (refresh: ScheduledTimer, report: ScheduledTimer) {
    // The timer holds the cache weakly and passes it to the action. Capturing it would keep it alive.
    let refresh = scheduler.schedule(.every(.milliseconds(200)), owner: self) { cache, _ in
      cache.refresh()
    }
    let report = scheduler.schedule(every: 60, owner: self) { _, _ in say("report") }
    return (refresh, report)
  }

  func refresh() {
    say("refresh")
  }

  deinit {
    say("The cache is gone.")
  }
}

/// A class that isn't Sendable uses a TimerOwner for its timers, which is released with it.
final class Editor {
  private let timers = TimerOwner()
  private var draft = "Dear reader, "

  func startAutosave(on scheduler: TimerScheduler) -> ScheduledTimer {
    scheduler.schedule(.every(.milliseconds(200)), owner: timers) { _, _ in say("autosave") }
  }

  func type(_ text: String) {
    draft += text
  }

  deinit {
    say("The editor is gone, with the draft '\(draft)'.")
  }
}

@main
struct OwnedTimer {
  static func main() async throws {
    var configuration = TimerScheduler.Configuration()
    configuration.ownerCheckInterval = .milliseconds(500)
    let scheduler = TimerScheduler(configuration: configuration)

    say("A cache refreshes itself every 0.2 s and reports every 60 s.")
    let cache = Cache()
    let (refresh, report) = cache.startTimers(on: scheduler)
    try await Task.sleep(for: .milliseconds(700))

    say("The cache is released.")
    _ = consume cache
    say("\(await scheduler.snapshots.count) timers are left of it.")
    // Asking one of the timers would end it, so the scheduler is asked for the live ones.
    while await scheduler.snapshots.contains(where: { $0.id == refresh.id }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    say("The refresh timer has ended at its deadline.")
    while await !scheduler.snapshots.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    say("The report timer has ended when the scheduler looked for the dead, as it does every 0.5 s.")
    say("Both are \(refresh.state) and \(report.state).")

    say("An editor saves itself every 0.2 s.")
    let editor = Editor()
    let autosave = editor.startAutosave(on: scheduler)
    try await Task.sleep(for: .milliseconds(500))
    editor.type("hello.")

    say("The editor is released.")
    _ = consume editor
    say("The autosave timer is \(autosave.state) already.")
    say("\(await scheduler.snapshots.count) timers are left.")
  }
}

private let start = ContinuousClock.now

private func say(_ text: String) {
  let elapsed = start.duration(to: .now) / .seconds(1)
  print("\(elapsed.formatted(.number.precision(.fractionLength(3)))) s  \(text)")
}
