import Foundation
import TestSupport
import Testing
import TimerScheduling

/// A process that was stopped for half a second, by SIGSTOP and SIGCONT.
@Suite(.tags(.realClock), .limited, .guarantee("G23"))
struct StallTests {
  private static let interval = Duration.milliseconds(50)
  /// The least number of deadlines that one tick has missed after a wait of nine intervals: the first of them
  /// may have fired before the process was stopped, and is then a tick of its own.
  private static let mostlyMissed = 8

  // deadlines  |----|----|----|----|----|----|----|----|
  // process    =======[   stopped   ]===================
  // skip       x    x              x  x    x    x
  @Test(.hazard("Y4"), arguments: 0..<3)
  func `After a stop ticks are missed, made up for or delayed, as the timer says`(number: Int) async {
    await #expect(processExitsWith: .success) { [number] in
      let behavior = [MissedTickBehavior.skip, .burst, .delay][number]
      var longestWait = Duration.zero
      let ticks = await Self.ticksAroundStop(behavior, longestWait: &longestWait)
      #expect(longestWait >= Self.interval * 9)
      let late = ticks.contains { $0.missedCount >= Self.mostlyMissed }
      #expect(behavior == .burst ? ticks.allSatisfy { $0.missedCount == 0 } : late)
      for (tick, next) in zip(ticks, ticks.dropFirst()) {
        switch behavior {
        case .skip, .burst: #expect(Self.intervals(from: tick, to: next) == next.missedCount + 1)
        case .delay where tick.missedCount > 0:
          // Counted from the moment when it fired or was taken, not from its deadline.
          let gap = next.scheduledDate.timeIntervalSince(tick.date)
          #expect(gap >= 0.05 * Double(next.missedCount + 1) - 0.000_1)
        case .delay: break
        }
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
