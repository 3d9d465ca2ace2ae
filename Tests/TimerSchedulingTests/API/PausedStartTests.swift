import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers that are made paused.
@Suite(.limited, .guarantee("G57")) struct PausedStartTests: VirtualTimeSuite {
  let time = VirtualTime()
  private let log = Journal<Date>()

  @Test(.hazard("W6")) func `A timer that is made paused begins when it is resumed`() async {
    let timer = scheduler.schedule(.every(10).paused()) { tick in log.note(tick.date) }
    #expect(timer.isPaused)
    #expect(await scheduler.statistics.pausedCount == 1)
    await clock.advance(by: .seconds(100))
    #expect(log.entries.isEmpty)
    timer.resume()
    #expect(await scheduler.statistics.pausedCount == 0)
    await clock.advance(by: .seconds(25))
    #expect(log.entries == [start + 110, start + 120])
  }

  // FAULTS I5
  @Test func `The schedule of a timer doesn't say that it began paused`() async {
    let timer = scheduler.timer(on: .every(10).paused(), name: "a")
    #expect(timer.schedule == .every(10))
    timer.resume()
    #expect(await scheduler.snapshots.map(\.schedule) == [.every(10)])
    #expect(timer.schedule?.description == "every 10 s")
  }

  @Test func `A tick that would come at once waits for the resume`() async {
    let timer = scheduler.schedule(.every(10, starting: .immediately).limit(2).paused()) { tick in
      log.note(tick.date)
    }
    await clock.advance(by: .seconds(3))
    #expect(log.entries.isEmpty)
    timer.resume()
    await clock.advance(by: .seconds(60))
    #expect(log.entries == [start + 3, start + 13])
    #expect(timer.state == .finished(.completed))
  }

  @Test func `Streams, owned timers and single ticks can be made paused, too`() async {
    let owner = ReleaseProbe()
    let timers = [
      scheduler.timer(on: .after(1).paused()), scheduler.timer(on: .at(start + 1).paused()),
      scheduler.schedule(.after(1).paused(), owner: owner) { _, tick in log.note(tick.date) },
    ]
    let loop = clock.addTask {
      for await date in scheduler.ticks(on: .every(1).limit(1).paused(), name: "loop") { log.note(date) }
    }
    await clock.advance(by: .seconds(50))
    #expect(timers.map(\.isPaused) == [true, true, true])
    #expect(log.entries.isEmpty)
    timers[2].resume()
    await clock.advance(by: .seconds(5))
    #expect(log.entries == [start + 51])
    scheduler.timer(named: "loop")?.resume()
    await clock.advance(by: .seconds(5))
    _ = await loop.result
    #expect(log.entries == [start + 51, start + 56])
    withExtendedLifetime(owner) {}
  }

  @Test func `The observer is told of the making and then of the pause`() async {
    let events = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: events))
    let timer = scheduler.timer(on: .every(1).paused(), name: "a")
    await clock.advance(by: .zero)
    #expect(events.lines == ["a scheduled", "a paused"])
    timer.cancel()
  }

  @Test func `A limit of zero ends a timer that is made paused`() {
    let timer = TimerScheduler(clock: clock).timer(on: .every(1).limit(0).paused())
    #expect(timer.state == .finished(.completed))
  }
}
