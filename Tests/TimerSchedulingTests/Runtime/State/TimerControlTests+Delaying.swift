import Testing
import TimerScheduling

/// The cadence under `.delay`: which ticks begin it anew. Times are in seconds.
extension TimerControlTests {
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
      bench.fire(awaited: isAwaited, at: interval * 2 + (isAwaited ? lateness : 0))
      #expect(bench.take(at: interval * 2 + lateness)?.missedCount == 0)
      let next = interval * 3 + (isAnew ? lateness : 0)
      #expect(abs((bench.deadline ?? .nan) - next) < 1e-9)
    }
  }

  @Test func `A delayed tick that has fired for a waiting listener isn't late when it is taken late`() {
    let bench = Workbench(.every(1).missedTicks(.delay))
    bench.fire(awaited: true, at: 1)
    #expect(bench.take(at: 1.9)?.row == Row(due: 1, index: 0))
    #expect(bench.deadline == 2)
  }

  @Test func `The first of several listeners that takes a delayed tick decides on the cadence`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    let slow = bench.join()
    bench.fire(awaited: false, at: 10)
    #expect(bench.take(at: 13) != nil)
    #expect(bench.deadline == 23)
    #expect(bench.take(by: slow, at: 17) != nil)
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
    bench.fire(awaited: false, at: 10)
    bench.pause(at: 12)
    bench.resume(at: 20)
    #expect(bench.take(at: taken)?.row == Row(due: 10, index: 0))
    #expect(bench.deadline == next)
  }

  @Test(arguments: [false, true])
  func `A tick by hand that is taken late doesn't shift a delayed cadence`(replacesTick: Bool) {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.fire(awaited: false, at: 10)
    if !replacesTick { #expect(bench.take() != nil) }
    bench.fireByHand(at: 15)
    #expect(bench.take(at: 17)?.scheduledDate == Workbench.date(15))
    #expect(bench.deadline == 20)
  }

  // deadlines    10    20        40
  // paused                [==]
  // tick                     30, taken at 33
  @Test func `A delayed cadence that was resumed at once counts from then, whatever was missed before`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.fire(awaited: false, at: 10)
    bench.pause(at: 25)
    bench.resume(.immediately, at: 30)
    #expect(bench.take(at: 33)?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.deadline == 40)
  }
}
