import Foundation
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import WrongClock

/// The wall clock is set while timers wait in real time.
@Suite(.timeLimit(.minutes(2))) struct SetClockTests {
  // In a process of its own, as the clock is that of the whole process.
  @Test func `Hours come by a clock that was set back, also to a timer that is paused just then`() async {
    await #expect(processExitsWith: .success) {
      // Ends the process if an hour is lost.
      alarm(20)
      let clock = try WallClock()
      let hour = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 3_600).rounded() * 3_600)
      try clock.show(hour - 0.3)
      let scheduler = TimerScheduler()
      let rule = TimerSchedule.rule(try CronRule("0 * * * *", timeZone: .gmt))
      let timers = [
        scheduler.timer(on: .every(.seconds(3_600), starting: .aligned)),
        scheduler.timer(on: rule), scheduler.timer(on: rule),
      ]
      let ticks = timers.map { $0.firings.makeAsyncIterator() }
      for step in [0, -8, -20.0] {
        let next = hour + step * 3_600
        if step < 0 {
          try clock.show(next - 0.3)
          timers[2].pause()
          timers[2].resume()
        }
        for var tick in ticks {
          let date = await tick.next()?.scheduledDate
          guard date == next else { fatalError("\(date as Any), and not \(next)") }
        }
        // By the old time, each next date would be hours away.
        for timer in timers where timer.nextDate != next + 3_600 {
          fatalError("\(timer.nextDate as Any), and not \(next + 3_600)")
        }
      }
    }
  }
}

/// The wall clock of the process.
private final class WallClock {
  private let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  private let file: FileHandle
  private var ahead = 0.0

  init() throws {
    try Data(count: 8).write(to: URL(fileURLWithPath: path))
    file = try #require(FileHandle(forUpdatingAtPath: path))
    try #require(unsafe wrong_clock_follow(path))
  }

  /// Sets the clock.
  func show(_ date: Date) throws {
    ahead += date.timeIntervalSinceNow
    try file.seek(toOffset: 0)
    try file.write(contentsOf: unsafe withUnsafeBytes(of: Int64(ahead * 1_000_000)) { unsafe Data($0) })
    wrong_clock_was_set()
  }

  deinit {
    _ = wrong_clock_follow(nil)
    try? FileManager.default.removeItem(atPath: path)
  }
}
