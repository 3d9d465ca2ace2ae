import Foundation
import TestSupport
import Testing
import TimerScheduling

/// An idle scheduler doesn't wake the process. Seen in a process of its own, in which nothing else happens.
@Suite(
  .tags(.realClock), .limited,
  .disabled(if: ProcessFacts.isUnderThreadSanitizer, "The sanitizer runs a thread of its own."),
  .guarantee("G107"))
struct IdleTests {
  @Test(.enabled(if: OwnProcess.program != nil)) func `No thread wakes while nothing is due`() async throws {
    guard OwnProcess.isThis else {
      let run = try await OwnProcess.run("\(Self.self)")
      #expect(run.status == EXIT_SUCCESS, "\(run.output)")
      return
    }
    let without = await Self.switchesWhileIdle()
    let scheduler = TimerScheduler()
    // The source has been in use and, without timers, has no deadline any more.
    for await _ in scheduler.ticks(every: .milliseconds(1), limit: 3) {}
    // These sources repeated until their timers were stopped. The last one has a deadline in an hour.
    var stopped: [TimerScheduler] = []
    for stop in SteadyStop.allCases {
      let scheduler = TimerScheduler()
      await stop.useTimer(of: scheduler)
      stopped.append(scheduler)
    }
    for timerCount in [0, 10_000] {
      let streams = (0..<timerCount).map { scheduler.ticks(every: 3600 + Double($0) / 100) }
      // Due on the wall clock, whose changes are watched then.
      let dated = (0..<min(timerCount, 1)).map { _ in scheduler.ticks(on: .at(Date() + 86_400)) }
      #expect(await scheduler.timerCount == timerCount + dated.count)
      let with = await Self.switchesWhileIdle()
      // Dispatch looks after its threads once a second in every program with an asynchronous `main`.
      #expect(with.count <= without.count + 1 + max(0, with.seconds - without.seconds))
      withExtendedLifetime((streams, dated)) {}
    }
    withExtendedLifetime(stopped) {}
  }

  /// Counts how often the other threads go to sleep in five seconds or what they last, on a thread that isn't
  /// one of Dispatch's.
  private static func switchesWhileIdle() async -> (count: Int, seconds: Int) {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Dispatch's threads leave five seconds after their last work.
        sleep(7)
        let start = ContinuousClock.now
        let before = ProcessFacts.voluntarySwitchesOfOtherThreads
        sleep(5)
        let after = ProcessFacts.voluntarySwitchesOfOtherThreads
        let seconds = Int(((ContinuousClock.now - start) / .seconds(1)).rounded(.up))
        continuation.resume(returning: (after.map { $1 - before[$0, default: 0] }.reduce(0, +), seconds))
      }
    }
  }
}
