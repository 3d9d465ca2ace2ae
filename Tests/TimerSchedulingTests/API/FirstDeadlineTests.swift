import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers that wait for their first deadline, as most do, and the tick of a single one. A limit that is never reached
/// has the timer keep its tick in another place.
@Suite(.limited) struct FirstDeadlineTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test(arguments: [false, true], [false, true])
  func `The tick of a single deadline is kept for its listener`(hasExtras: Bool, isDate: Bool) async {
    let due = clock.date + 5
    let schedule = isDate ? TimerSchedule.at(due) : .after(5)
    let timer = scheduler.timer(on: hasExtras ? schedule.limit(.max - 1) : schedule)
    var ticks = timer.firings.makeAsyncIterator()
    clock.letPass(.seconds(7))
    await clock.advance(by: .zero)
    #expect(timer.state == .scheduled)
    let tick = await ticks.next()
    #expect(tick?.scheduledDate == due)
    #expect(tick?.date == due + 2)
    #expect(tick?.lateness == .seconds(2))
    #expect(await ticks.next() == nil)
    #expect(timer.state == .finished(.completed))
  }

  @Test(arguments: [false, true])
  func `A listener that has left isn't owed the tick`(hasExtras: Bool) async {
    let schedule = TimerSchedule.after(5)
    let timer = scheduler.timer(on: hasExtras ? schedule.limit(.max - 1) : schedule, name: "timer")
    _ = timer.firings
    await clock.advance(by: .seconds(5))
    #expect(timer.state == .finished(.completed))
  }

  @Test func `A timer for a date follows the wall clock`() async {
    let runs = Journal<TimerTick>()
    let start = clock.date
    for seconds in [10.0, 20, 40] { scheduler.schedule(.at(start + seconds)) { runs.note($0) } }
    await clock.setWallClock(to: start + 12)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.map(\.date) == [start + 12])
    #expect(runs.entries.map(\.lateness) == [.seconds(2)])
    await clock.setWallClock(to: start - 100)
    await clock.advance(by: .seconds(119))
    #expect(runs.entries.count == 1)
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.map(\.date) == [start + 12, start + 20])
    #expect(await scheduler.timerCount == 1)
  }

  @Test func `A thousand handles of one timer are counted`() async {
    var handles = [scheduler.timer(on: .every(1))]
    let id = handles[0].id
    for _ in 0..<1_000 {
      if let handle = await scheduler.timer(id: id) { handles.append(handle) }
    }
    #expect(handles.count == 1_001)
    handles.removeLast(1_000)
    #expect(await scheduler.timerCount == 1)
    handles = []
    #expect(await scheduler.timerCount == 0)
  }

  // MARK: Restarting

  @Test(.guarantee("G114"))
  func `A timeout that is restarted over and over costs a wakeup in its time`() async {
    let runs = Journal<Date>()
    let timeout = scheduler.schedule(.after(10)) { runs.note($0.date) }
    for _ in 0..<100 {
      await clock.advance(by: .seconds(1))
      timeout.reschedule(.after(10))
    }
    #expect(clock.wakeupCount <= 11)
    let last = clock.date
    await clock.advance(by: .seconds(9.999))
    #expect(runs.entries.isEmpty)
    await clock.advance(by: .seconds(0.001))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [last + 10])
  }

  @Test(.guarantee("G114")) func `A timeout that is shortened just after it was made is in time`() async {
    let runs = Journal<Date>()
    let start = clock.date
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
