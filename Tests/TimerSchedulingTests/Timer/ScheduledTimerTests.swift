import Foundation
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// What a handle says of its timer.
@Suite struct ScheduledTimerTests {
  private let scheduler = VirtualClock.manual().makeScheduler()

  @Test func `An identifier comes back from its description`() async throws {
    let timer = scheduler.timer(on: .every(1), name: "refresh")
    let id = try #require(ScheduledTimer.ID(timer.id.description))
    #expect(id == timer.id)
    #expect(await scheduler.timer(id: id) == timer)
    #expect(ScheduledTimer.ID("refresh") == nil)
  }

  @Test func `An identifier finds its timer until that ends, whatever became of its place`() async throws {
    let timer = scheduler.timer(on: .every(1))
    let id = timer.id
    timer.reschedule(.at(Date(timeIntervalSince1970: 5e9)))
    #expect(timer.id == id && timer.id.place != id.place)
    for id in [id, timer.id] { #expect(await scheduler.timer(id: id) == timer) }
    timer.cancel()
    // Takes the place.
    let next = scheduler.timer(on: .every(1))
    for id in [id, timer.id] { #expect(await scheduler.timer(id: id) == nil) }
    #expect(await scheduler.timer(id: next.id) == next)
    let elsewhere = VirtualClock.manual().makeScheduler()
    #expect(await elsewhere.timer(id: next.id) == nil)
  }

  // Without it the scheduler would look at all its timers.
  @Test func `Whatever tells of a timer knows its place`() async {
    let clock = VirtualClock.manual()
    let log = EventLog()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: log))
    let run = Lock<ScheduledTimer.ID?>(nil)
    let timer = scheduler.schedule(.every(1)) { _ in run.withLock { $0 = ActionRun.current?.timer } }
    await clock.advance(by: .seconds(1))
    let snapshot = await scheduler.snapshots.first?.id
    timer.cancel()
    await scheduler.shutdownAndWait()
    let ofRun = run.withLock { $0 }
    let ids: [ScheduledTimer.ID?] = [timer.id, ofRun, snapshot] + log.events.map(\.timer)
    #expect(ids.count == 6)
    for id in ids { #expect(id?.place != nil) }
  }

  @Test func `Handles of one timer are equal, and others aren't`() async {
    let timer = scheduler.timer(on: .every(1), name: "refresh")
    let other = scheduler.timer(on: .every(1))
    let found = await scheduler.timer(named: "refresh")
    #expect(Set([timer, other, found].compactMap(\.self)).count == 2)
    #expect(found?.name == "refresh")
    #expect(other.name == nil)
  }

  @Test func `A state says its name`() {
    let timer = scheduler.timer(on: .every(1))
    #expect(timer.state.description == "scheduled")
    timer.pause()
    #expect(timer.state.description == "paused")
    timer.cancel()
    #expect(timer.state.description == "finished(cancelled)")
  }
}
