import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Compares the wakeups that each sequence of four calls arms with those of the model in
/// `Tests/Models/filing.pml`.
@Suite(.limited, .guarantee("G111")) struct FilingModelTests {
  enum Call {
    case file(Timeline, Int)
    case cancel(Int)
    case change(Int, Timeline, Int)
    case tick
  }

  private static let end = 4
  private static let length = 4

  // `.ci/models transitions` writes the file.
  @Test func `A scheduler arms in each state what its model arms`() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../../Models/filing-transitions.txt")
    let modelled = Set(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
    var done: Set<String> = []
    for calls in Self.sequences { await Self.perform(calls) { done.insert($0) } }
    let (onlyModelled, onlyDone) = (modelled.subtracting(done).sorted(), done.subtracting(modelled).sorted())
    #expect(onlyModelled.isEmpty, "The model alone does \(onlyModelled.count), as \(onlyModelled.prefix(5))")
    #expect(onlyDone.isEmpty, "The code alone does \(onlyDone.count), as \(onlyDone.prefix(5))")
    #expect(done.count > 500)
  }

  /// The sequences that aren't the beginning of a longer one.
  private static var sequences: [[Call]] {
    var all: [[Call]] = []
    func extend(_ calls: [Call], now: Int, made: Int) {
      guard calls.count < length else { return all.append(calls) }
      let deadlines = (now + 1)..<(min(now + 2, end) + 1)
      for timeline in [Timeline.monotonic, .wall] {
        for deadline in deadlines where now < end {
          if made < 2 { extend(calls + [.file(timeline, deadline)], now: now, made: made + 1) }
          for timer in 0..<made { extend(calls + [.change(timer, timeline, deadline)], now: now, made: made) }
        }
      }
      for timer in 0..<made { extend(calls + [.cancel(timer)], now: now, made: made) }
      if now < end { extend(calls + [.tick], now: now + 1, made: made) }
      if now == end, made == 0 { all.append(calls) }
    }
    extend([], now: 2, made: 0)
    return all
  }

  /// Performs the calls on a new scheduler, and calls `note` with what each has done.
  private static func perform(_ calls: [Call], _ note: (String) -> Void) async {
    let clock = CountingClock()
    let scheduler = TimerScheduler(configuration: .init(), clock: clock, jitterSeed: 1)
    var timers: [(handle: ScheduledTimer, timeline: Timeline, deadline: Int)] = []
    var old = describe(clock, timers)
    for call in calls {
      let name: String
      switch call {
      case .file(let timeline, let deadline):
        name = "file-\(timers.count)-\(describe(timeline, deadline))"
        let handle = scheduler.schedule(schedule(timeline, deadline, on: clock)) { _ in }
        timers.append((handle, timeline, deadline))
      case .cancel(let timer):
        name = "cancel-\(timer)"
        timers[timer].handle.cancel()
      case .change(let timer, let timeline, let deadline):
        name = "change-\(timer)-\(describe(timeline, deadline))"
        if timers[timer].handle.reschedule(schedule(timeline, deadline, on: clock)) {
          (timers[timer].timeline, timers[timer].deadline) = (timeline, deadline)
        }
      case .tick:
        name = "tick"
        await clock.tick(of: scheduler)
        for timer in timers where timer.deadline <= clock.now { _ = await timer.handle.waitUntilFinished() }
      }
      // A pass may post a block, and so may the end of a timer.
      for _ in 0..<2 { await scheduler.waitForQueue() }
      let new = describe(clock, timers)
      note("\(old) \(name) \(new)")
      old = new
    }
    scheduler.shutdown()
  }

  private static func schedule(
    _ timeline: Timeline, _ deadline: Int, on clock: CountingClock
  ) -> TimerSchedule {
    switch timeline {
    case .monotonic: .after(.seconds(deadline - clock.now))
    case .wall: .at(Workbench.date(Double(deadline)))
    }
  }

  private static func describe(
    _ clock: CountingClock, _ timers: [(handle: ScheduledTimer, timeline: Timeline, deadline: Int)]
  ) -> String {
    let states = (0..<2).map { number in
      guard number < timers.count else { return "-" }
      let timer = timers[number]
      return timer.handle.state.isFinished ? "e" : describe(timer.timeline, timer.deadline)
    }
    let armed = [Timeline.monotonic, .wall].map { clock.armed(on: $0) }
    return "\(clock.now) \((states + armed).joined(separator: " "))"
  }

  private static func describe(_ timeline: Timeline, _ deadline: Int) -> String {
    "\(timeline == .monotonic ? "m" : "w")\(deadline)"
  }
}
