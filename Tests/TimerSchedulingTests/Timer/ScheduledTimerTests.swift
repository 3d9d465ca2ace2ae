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
