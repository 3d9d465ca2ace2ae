import Foundation
import TestSupport
import Testing
import TimerScheduling

/// A process that was stopped for half a second, by SIGSTOP and SIGCONT.
@Suite(.tags(.realClock), .limited, .guarantee("G22"))
struct StallTests {
  private static let interval = Duration.milliseconds(50)
  /// The least number of deadlines that one tick has missed after a wait of nine intervals: the first of them may have
  /// fired before the process was stopped, and is then a tick of its own.
  private static let mostlyMissed = 8

  // deadlines  |----|----|----|----|----|----|----|----|
  // process    =======[   stopped   ]===================
  // skip       x    x              x  x    x    x
  @Test(.hazard("Y4")) func `Afterwards, skip delivers one late tick and is back on its grid`() async {
    await #expect(processExitsWith: .success) {
      var longestWait = Duration.zero
      let ticks = await Self.ticksAroundStop(.skip, longestWait: &longestWait)
      #expect(longestWait >= Self.interval * 9)
      #expect(ticks.contains { $0.missedCount >= Self.mostlyMissed })
      for (tick, next) in zip(ticks, ticks.dropFirst()) {
        #expect(Self.intervals(from: tick, to: next) == next.missedCount + 1)
      }
    }
  }

  @Test func `Afterwards, burst delivers every tick`() async {
    await #expect(processExitsWith: .success) {
      var longestWait = Duration.zero
      let ticks = await Self.ticksAroundStop(.burst, longestWait: &longestWait)
      #expect(longestWait >= Self.interval * 9)
      #expect(ticks.allSatisfy { $0.missedCount == 0 })
      for (tick, next) in zip(ticks, ticks.dropFirst()) {
        #expect(Self.intervals(from: tick, to: next) == 1)
      }
    }
  }

  @Test func `Afterwards, delay restarts from the late tick`() async {
    await #expect(processExitsWith: .success) {
      var longestWait = Duration.zero
      let ticks = await Self.ticksAroundStop(.delay, longestWait: &longestWait)
      #expect(longestWait >= Self.interval * 9)
      #expect(ticks.contains { $0.missedCount >= Self.mostlyMissed })
      for (tick, next) in zip(ticks, ticks.dropFirst()) where tick.missedCount > 0 {
        // Counted from the moment when it fired or was taken, not from its deadline.
        let gap = next.scheduledDate.timeIntervalSince(tick.date)
        #expect(gap >= 0.05 * Double(next.missedCount + 1) - 0.000_1)
      }
    }
  }

  /// Stops the process for half a second while a loop listens to a timer, and listens for a while longer.
  private static func ticksAroundStop(
    _ behavior: MissedTickBehavior, longestWait: inout Duration
  ) async -> [TimerTick] {
    let timer = TimerScheduler().timer(on: .every(interval).missedTicks(behavior))
    var ticks: [TimerTick] = []
    var countAfterStop = 0
    var last = ContinuousClock.now
    for await tick in timer.firings {
      let now = ContinuousClock.now
      longestWait = max(longestWait, now - last)
      last = now
      ticks.append(tick)
      if ticks.count == 3 { stop() }
      // On a busy machine it takes a while until the process is stopped.
      if longestWait >= interval * 9 { countAfterStop += 1 }
      if countAfterStop == 15 { break }
    }
    return ticks
  }

  private static func stop() {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    let pid = ProcessInfo.processInfo.processIdentifier
    shell.arguments = ["-c", "kill -STOP \(pid); sleep 0.5; kill -CONT \(pid)"]
    #expect(throws: Never.self) { try shell.run() }
  }

  private static func intervals(from tick: TimerTick, to next: TimerTick) -> Int {
    Int((next.scheduledDate.timeIntervalSince(tick.scheduledDate) / 0.05).rounded())
  }
}
