import Foundation
import TestSupport
import Testing
import TimerScheduling

/// A process that exits while timers are armed, suspended and firing.
///
/// A code of its own tells an exit from the end of the child's body, and from the sanitizer's.
@Suite(.tags(.realClock), .limited, .guarantee("G114"))
struct ExitTests {
  private static let rounds = 0..<size(3, full: 25)

  @Test(arguments: rounds)
  func `A process comes to its end with live timers`(round: Int) async {
    await #expect(processExitsWith: .success) { [round = round as Int] in
      let timers = await LiveTimers()
      await timers.waitForTicks(round)
    }
  }

  @Test(arguments: rounds)
  func `A process comes to its end when its schedulers were just released`(round: Int) async {
    await #expect(processExitsWith: .success) { [round = round as Int] in
      let scheduler = TimerScheduler()
      let streams = (0..<8).map { scheduler.ticks(every: .microseconds(20 + $0)) }
      for await _ in streams[0].prefix(1 + round) {}
      for await _ in scheduler.ticks(every: .microseconds(30), starting: .aligned, limit: 3) {}
      // The last of them goes while they fire.
      withExtendedLifetime(streams) {}
    }
  }

  enum Place: Codable, CaseIterable { case thread, action, actionOfMainActor, consumer }

  @Test(arguments: Place.allCases, rounds)
  func `A program exits with live timers`(from place: Place, round: Int) async {
    await #expect(processExitsWith: .exitCode(42)) { [place = place as Place, round = round as Int] in
      let timers = await LiveTimers()
      switch place {
      case .thread:
        await timers.waitForTicks(round)
        Thread.detachNewThread { exit(42) }
      case .action:
        TimerScheduler().schedule(.every(.microseconds(50))) { if $0.index == round { exit(42) } }
      case .actionOfMainActor:
        timers.firing.schedule(.every(.microseconds(50))) { @MainActor in if $0.index == round { exit(42) } }
      case .consumer:
        for await _ in timers.firing.ticks(every: .microseconds(50)).dropFirst(round) { exit(42) }
      }
      await timers.waitForever()
    }
  }
}

/// Schedulers whose dispatch sources are in every state. Their timers live on without being held.
private struct LiveTimers {
  /// Fires nearly all the time, on both clocks.
  let firing = TimerScheduler()
  private let unused = TimerScheduler()
  private let armed = TimerScheduler()
  private let suspended = TimerScheduler()
  private let owner = TimerOwner()
  private let runs = Journal<TimerTick>()

  /// Returns once the timers fire.
  init() async {
    // The time limit doesn't end a child that waits for ever.
    alarm(1200)
    armed.schedule(.every(3600)) { _ in }
    armed.schedule(.every(3600, starting: .aligned)) { _ in }
    for await _ in suspended.ticks(every: .microseconds(50), limit: 3) {}
    for await _ in suspended.ticks(every: 0.000_05, starting: .aligned, limit: 3) {}
    suspended.timer(on: .every(.microseconds(50)), name: "paused").pause()
    #expect(await suspended.filedCount == 0)

    // It has a name, so it fires without a listener.
    _ = firing.timer(on: .every(.microseconds(70)), name: "unheard")
    let runs = runs
    firing.schedule(.every(.microseconds(40))) { runs.note($0) }
    firing.schedule(.every(.microseconds(30)), owner: owner) { _, tick in runs.note(tick) }
    firing.schedule(.every(0.000_05, starting: .aligned).missedTicks(.burst)) { runs.note($0) }
    for stream in [firing.ticks(every: .microseconds(20)), firing.ticks(every: 0.000_03, starting: .aligned)]
    {
      Task { for await _ in stream {} }
    }
    await waitForTicks(3)
  }

  func waitForTicks(_ count: Int) async { await runs.next(count) }

  /// Waits until the process exits.
  func waitForever() async {
    await Latch().wait()
    withExtendedLifetime(self) {}
  }
}
