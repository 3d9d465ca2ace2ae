import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Several schedulers, consumers and tasks on one clock.
@Suite(.limited, .guarantee("G128")) struct SharingTests: VirtualTimeSuite {
  let time = VirtualTime.reporting()

  @Test func `Schedulers that share a clock keep its order`() async {
    let log = Journal<Int>()
    let schedulers = (0..<10).map { _ in TimerScheduler(clock: clock) }
    for (number, scheduler) in schedulers.enumerated() {
      scheduler.schedule(.every(.seconds(10), starting: .after(.seconds(number)))) { _ in log.note(number) }
    }
    await clock.advance(by: .seconds(29.5))
    #expect(log.entries == (0..<30).map { $0 % 10 })
  }

  // The work that it posts as it ends is done before the clock goes on. Of many schedulers, most have nothing
  // to do.
  @Test(arguments: 0..<50) func `A timer that an action makes as it ends isn't passed over`(round: Int) async
  {
    let (log, schedulers) = (Journal<Date>(), (0..<100).map { _ in TimerScheduler(clock: clock) })
    schedulers[0].schedule(.after(1)) { [first = schedulers[0]] _ in
      first.schedule(.after(1)) { log.note($0.date) }
    }
    await clock.advance(by: .seconds(5))
    #expect(log.entries == [start + 2])
  }

  @Test func `Two tasks that share a stream are both waited for`() async {
    let (log, ticks) = (Journal<Date>(), scheduler.ticks(every: 1))
    for _ in 0..<2 {
      Task {
        for await tick in ticks {
          for _ in 0..<10 { await Task.yield() }
          log.note(tick)
        }
      }
    }
    await clock.advance(by: .seconds(20))
    #expect(log.entries == (1...20).map { start + Double($0) })
    await scheduler.cancelAll()
  }

  @Test(arguments: 0..<20) func `A stream that is handed on loses nothing`(round: Int) async throws {
    let (log, ticks) = (Journal<Date>(), scheduler.ticks(every: 1))
    let first = clock.addTask {
      for await tick in ticks {
        log.note(tick)
        if log.entries.count == 3 { break }
      }
    }
    await clock.advance(by: .seconds(3))
    await first.value
    let second = Task {
      for await tick in ticks { log.note(tick) }
    }
    await clock.advance(by: .seconds(3))
    #expect(log.entries == (1...6).map { start + Double($0) })
    second.cancel()
  }

  @Test func `Advances of several tasks take turns`() async {
    let log = Journal<Date>()
    scheduler.schedule(.every(1)) { log.note($0.date) }
    await withDiscardingTaskGroup { group in
      for _ in 0..<10 {
        group.addTask { await clock.advance(by: .seconds(1)) }
      }
    }
    #expect(log.entries == (1...10).map { start + Double($0) })
  }
}
