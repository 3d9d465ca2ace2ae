import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers that change their clock, by being rescheduled from an interval to a date or back.
@Suite(.tags(.threads), .limited) struct MovedTimerTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // Fails if a filing has the number of an earlier one: the wheel then takes what is left of that for the
  // later one.
  @Test func `A timer that moves from an interval to a date and back holds up no other`() async {
    // A wheel without deadlines starts afresh.
    let far = scheduler.timer(on: .every(7200))
    let moved = scheduler.timer(on: .every(.microseconds(100)))
    moved.reschedule(.at(start + 3600))
    moved.reschedule(.every(.seconds(3600)))
    let ticks = Journal<TimeInterval>()
    scheduler.schedule(.every(1)) { [start] in ticks.note($0.scheduledDate.timeIntervalSince(start)) }
    for _ in 0..<3 {
      await advance(1)
      await scheduler.waitUntilActionsHaveEnded()
    }
    #expect(ticks.entries == [1, 2, 3])
    #expect(moved.remainingTime == .seconds(3597))
    withExtendedLifetime(far) {}
  }

  // Fails if the deadlines of the two clocks are compared: the timer then stays filed for the earlier number.
  @Test func `A timer that moves from an hour ahead on one clock to a minute ahead on the other fires then`()
    async
  {
    let runs = Journal<String>()
    let toWall = scheduler.schedule(.after(3600)) { _ in runs.note("to the wall clock") }
    let toMonotonic = scheduler.schedule(.at(start + 3600)) { _ in runs.note("from it") }
    toWall.reschedule(.at(start + 60))
    toMonotonic.reschedule(.after(50))
    await advance(55)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == ["from it"])
    await advance(5)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == ["from it", "to the wall clock"])
  }

  // Fails if a timer that changes its clock also changes its place, which a walk may have passed.
  @Test func `A call for all timers reaches one that changes its clock meanwhile`() async {
    let moved = scheduler.timer(on: .every(3600), name: "moved")
    let others = (0..<3_000).map { _ in scheduler.timer(on: .every(3600)) }
    let isOver = Box<Bool>()
    await withTaskGroup { group in
      group.addTask { [start] in
        await Threads.run(1) { _ in
          while isOver.value == nil {
            moved.reschedule(.at(start + 3600))
            moved.reschedule(.every(3600))
          }
        }
      }
      for round in 0..<rounds(100) {
        await scheduler.pauseAll()
        #expect(moved.isPaused, "round \(round)")
        moved.resume()
        let snapshots = await scheduler.snapshots.filter { $0.name == "moved" }
        #expect(snapshots.count == 1, "round \(round)")
      }
      isOver.value = true
    }
    withExtendedLifetime(others) {}
  }
}
