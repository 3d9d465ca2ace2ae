import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions whose actor is busy when their timers fire.
@Suite(.limited) struct BusyActorTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // seconds    1    2    3    4    5    6
  // stage      [====================]
  // runs                            x    x
  @Test(.hazard("T6", "W3"))
  func `Timers of a busy actor delay no other, and each then has one run, which counts what was missed`()
    async
  {
    let runs = Journal<TimerTick.Row>()
    Stage.hold()
    let timers = (0..<100).map { _ in scheduler.schedule(.every(1)) { @Stage in runs.note($0.row) } }
    let other = Consumer(scheduler.ticks(every: 1))
    for second in 1...5 {
      await clock.advance(by: .seconds(1))
      #expect(await other.next() == start + Double(second))
    }
    for timer in timers.prefix(50) { timer.cancel() }
    Stage.letGo()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == Array(repeating: .init(due: 5, index: 0, missed: 4), count: 50))
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.dropFirst(50) == Array(repeating: .init(due: 6, index: 1), count: 50)[...])
  }

  @Test(.hazard("W2")) func `An action whose owner dies between the fire and the run doesn't run`() async {
    let (runs, releases) = (Journal<Int>(), Journal<Void>())
    let timer: ScheduledTimer
    Stage.hold()
    do {
      let owner = ReleaseProbe { releases.note() }
      timer = scheduler.schedule(.every(1), owner: owner) { @Stage _, tick in runs.note(tick.index) }
      await clock.advance(by: .seconds(1))
      withExtendedLifetime(owner) {}
    }
    // The scheduler's check of the owner may hold it for a moment.
    await releases.next()
    Stage.letGo()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.isEmpty)
    #expect(timer.state == .finished(.ownerReleased))
  }

  @MainActor @Test(.hazard("T7"))
  func `No action begins before the call that makes it due has returned`() async {
    let runs = Journal<Int>()
    scheduler.schedule(.every(1, starting: .immediately)) { @MainActor in runs.note($0.index) }
    scheduler.schedule(.after(0)) { @MainActor in runs.note($0.index) }
    scheduler.schedule(.every(1)) { @MainActor in runs.note($0.index) }.fire()
    #expect(runs.entries.isEmpty)
    await clock.advance(by: .zero)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [0, 0, 0])
  }
}

/// An actor that a test can hold. Its jobs wait until the test lets go of it.
@globalActor private actor Stage {
  static let shared = Stage()

  private nonisolated let executor = QueueExecutor(label: "Stage")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  static func hold() { shared.executor.queue.suspend() }
  static func letGo() { shared.executor.queue.resume() }
}
