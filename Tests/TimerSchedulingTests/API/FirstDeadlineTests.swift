import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers that wait for their first deadline, as most do, and the tick of a single one. A limit that is never
/// reached has the timer keep its tick in another place.
@Suite(.limited) struct FirstDeadlineTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test func `A thousand handles of one timer are counted`() async {
    var handles = [scheduler.timer(on: .every(1))]
    let id = handles[0].id
    for _ in 0..<1_000 {
      if let handle = scheduler.timer(id: id) { handles.append(handle) }
    }
    #expect(handles.count == 1_001)
    handles.removeLast(1_000)
    #expect(await scheduler.timerCount == 1)
    handles = []
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.guarantee("G6")) func `A start at once has no jitter, and later ticks have theirs`() async {
    let offsets = Journal<Duration>()
    for _ in 0..<20 {
      scheduler.schedule(.every(60, starting: .immediately).jitter(upTo: .seconds(6)).limit(3)) { [clock] _ in
        offsets.note(clock.now.offset)
      }
    }
    await advance(0)
    #expect(offsets.entries == [Duration](repeating: .zero, count: 20))
    await advance(200)
    let later = offsets.entries.dropFirst(20).map { $0 / .seconds(60) }
    #expect(later.count == 40)
    #expect(later.allSatisfy { (1..<1.1).contains($0) || (2..<2.1).contains($0) })
    #expect(Set(later).count > 30)
  }

  @Test(.guarantee("G121"))
  func `A timeout that is restarted over and over costs a wakeup in its time`() async {
    let runs = Journal<Date>()
    let timeout = scheduler.schedule(.after(9)) { runs.note($0.date) }
    for _ in 0..<100 {
      await clock.advance(by: .seconds(1))
      timeout.reschedule(.after(10))
    }
    #expect(clock.wakeupCount <= 11)
    #expect(timeout.schedule == .after(10))
    let last = clock.date
    await clock.advance(by: .seconds(9.999))
    #expect(runs.entries.isEmpty)
    await clock.advance(by: .seconds(0.001))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [last + 10])
  }

  @Test(.guarantee("G121")) func `A timeout that is shortened just after it was made is in time`() async {
    let runs = Journal<Date>()
    for seconds in [3600.0, 0.001, 60, 0.000_5] {
      let timeout = scheduler.schedule(.after(3600)) { runs.note($0.date) }
      timeout.reschedule(.after(seconds))
      await scheduler.waitForQueue()
      timeout.reschedule(.after(0.000_1))
    }
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == Array(repeating: start + 0.000_1, count: 4))
  }
}
