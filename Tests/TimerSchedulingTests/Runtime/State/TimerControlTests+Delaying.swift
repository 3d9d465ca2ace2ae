import Testing
import TimerScheduling

/// The cadence under `.delay`: which ticks begin it anew. Times are in seconds.
extension TimerControlTests {
  @Test func `A delayed timer counts its interval from when the late tick was taken`() {
    let bench = Workbench(.every(1).missedTicks(.delay))
    bench.moveTime(to: 1)
    bench.fire(awaited: false)
    bench.moveTime(to: 3.5)
    #expect(bench.take()?.row == Row(due: 3, index: 0, missed: 2))
    #expect(bench.deadline == 4.5)
    #expect(bench.tick()?.row == Row(due: 4.5, index: 1))
  }

  // An interval of a second has a grace of five milliseconds, one of 16 ms a grace of two.
  @Test(arguments: [
    (interval: 1, lateness: 0.9, isAnew: true), (1, 0.005_001, true), (1, 0.005, false), (1, 0, false),
    (0.016, 0.002_001, true), (0.016, 0.002, false),
  ])
  func `A delayed cadence begins anew with a tick that fires or is taken too late`(
    interval: Double, lateness: Double, isAnew: Bool
  ) {
    for isAwaited in [false, true] {
      let bench = Workbench(.every(interval).missedTicks(.delay))
      #expect(bench.tick() != nil)
      bench.moveTime(to: interval * 2 + (isAwaited ? lateness : 0))
      bench.fire(awaited: isAwaited)
      bench.moveTime(to: interval * 2 + lateness)
      #expect(bench.take()?.missedCount == 0)
      let next = interval * 3 + (isAnew ? lateness : 0)
      #expect(abs((bench.deadline ?? .nan) - next) < 1e-9)
    }
  }

  @Test func `A delayed tick that has fired for a waiting listener isn't late when it is taken late`() {
    let bench = Workbench(.every(1).missedTicks(.delay))
    bench.moveTime(to: 1)
    bench.fire(awaited: true)
    bench.moveTime(to: 1.9)
    #expect(bench.take()?.row == Row(due: 1, index: 0))
    #expect(bench.deadline == 2)
  }

  @Test func `The first of several listeners that takes a delayed tick decides on the cadence`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    let slow = bench.join()
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 13)
    #expect(bench.take() != nil)
    #expect(bench.deadline == 23)
    bench.moveTime(to: 17)
    #expect(bench.take(by: slow) != nil)
    #expect(bench.deadline == 23)
  }

  // A tolerance of two seconds, and a jitter of up to a second.
  @Test func `A delayed tick within its tolerance isn't late`() {
    for (lateness, next) in [(2.0, 20.0), (2.1, 22.1)] {
      let bench = Workbench(.every(10).missedTicks(.delay), tolerance: .seconds(2))
      #expect(bench.tick(late: lateness) != nil)
      #expect(bench.deadline == next)
    }
    let bench = Workbench(.every(10).jitter(upTo: .seconds(1)).missedTicks(.delay))
    for count in 1...20 {
      #expect(bench.tick() != nil)
      let next = bench.deadline ?? .nan
      #expect(next >= Double(count) * 10 + 10 && next < Double(count) * 10 + 11)
    }
  }

  // deadlines  10        20   28
  // paused       [=======]
  // taken                 x          at 20.004, or at 21
  @Test(arguments: [(20.004, 28.0), (21, 31)])
  func `A delayed tick that waits in a pause is late only from its end`(taken: Double, next: Double) {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.pause(at: 12)
    bench.resume(at: 20)
    bench.moveTime(to: taken)
    #expect(bench.take()?.row == Row(due: 10, index: 0))
    #expect(bench.deadline == next)
  }

  @Test(arguments: [TimerSchedule.every(10, starting: .aligned), .rule(EverySeconds(10))])
  func `A delayed cadence on the wall clock isn't begun anew`(schedule: TimerSchedule) {
    let bench = Workbench(schedule.missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 17)
    #expect(bench.take()?.row == Row(due: 10, index: 0))
    #expect(bench.deadline == 20)
  }

  @Test func `A tick by hand that is taken late doesn't shift a delayed cadence`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    #expect(bench.tick() != nil)
    bench.moveTime(to: 15)
    bench.fireByHand()
    bench.moveTime(to: 17)
    #expect(bench.take()?.row == Row(due: 15, index: 1))
    #expect(bench.deadline == 20)
  }

  @Test
  func `A tick by hand doesn't shift a delayed cadence`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 15)
    bench.fireByHand()
    bench.moveTime(to: 17)
    #expect(bench.take()?.scheduledDate == Workbench.date(15))
    #expect(bench.deadline == 20)
  }

  @Test
  func `A late tick restarts a delayed cadence also when there was a pause`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.pause(at: 35)
    bench.resume(at: 95)
    bench.moveTime(to: 97)
    #expect(bench.take()?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.deadline == 107)
  }

  @Test
  func `A listener that comes late doesn't restart a delayed cadence`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 35)
    let late = bench.join()
    #expect(bench.take(by: late) == nil)
    bench.moveTime(to: 36)
    #expect(bench.take()?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.deadline == 46)
  }
}
