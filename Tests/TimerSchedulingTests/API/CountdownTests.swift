import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G94")) struct CountdownTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test(
    .hazard("T2", "T3", "T4", "T7"),
    arguments: [
      (3.0, 0.0, 1.0, [3.0, 2, 1, 0]), (0, 3, 1, [0, 1, 2, 3]), (10, 0, 3, [10, 7, 4, 1, 0]),
      (2.1, 0, 0.3, [2.1, 1.8, 1.5, 1.2, 0.9, 0.6, 0.3, 0]), (1, 0, 5, [1, 0]), (-1, 1, 1, [-1, 0, 1]),
      (5, 5, 1, [5]),
    ])
  func `Values go from the start to the end by the step, and the end is the last`(
    start: Double, end: Double, step: Double, expected: [Double]
  ) async {
    let countdown = scheduler.countdown(from: start, to: end, every: step)
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .milliseconds(expected[0] * 1000))
    #expect(countdown.progress == (start == end ? 1 : 0))
    for (earlier, value) in zip(expected, expected.dropFirst()) {
      await clock.advance(by: .milliseconds((abs(value - earlier) * 1000).rounded()))
      #expect(await consumer.next() == .milliseconds((value * 1000).rounded()))
    }
    #expect(await consumer.next() == nil)
    #expect(countdown.timer.state == .finished(.completed))
    #expect(countdown.value == .milliseconds(end * 1000))
    #expect(countdown.progress == 1)
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.hazard("T1")) func `A countdown takes its time however late its listener is`() async {
    let countdown = scheduler.countdown(from: .seconds(30))
    var values = countdown.values.makeAsyncIterator()
    #expect(await values.next() == .seconds(30))
    // The scheduler is late, too.
    clock.letPass(.milliseconds(12_300))
    await advance(0)
    #expect(countdown.value == .milliseconds(17_700))
    #expect(await values.next() == .seconds(18))
    await clock.advance(by: .milliseconds(17_700))
    #expect(await values.next() == .zero)
    #expect(await values.next() == nil)
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test(.hazard("T8")) func `A listener that comes late gets the present value at once`() async {
    let countdown = scheduler.countdown(from: .seconds(10), name: "code")
    let earlier = Consumer(countdown.values)
    #expect(await earlier.next() == .seconds(10))
    await advance(2.5)
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(8))
    earlier.cancel()
    await earlier.waitUntilDone()
    await advance(0.5)
    #expect(await consumer.next() == .seconds(7))
    countdown.pause()
    #expect(await Consumer(countdown.values).next() == .seconds(7))
    countdown.resume()
    await advance(100)
    #expect(await Consumer(countdown.values).next() == .zero)
  }

  @Test(.hazard("T9", "Y9"), .guarantee("G78"))
  func `A countdown with a name lives on without listeners, and is found again`() async {
    do {
      let consumer = Consumer(scheduler.countdown(from: .seconds(10), name: "code").values)
      #expect(await consumer.next() == .seconds(10))
      consumer.cancel()
      await consumer.waitUntilDone()
    }
    await advance(4)
    let found = scheduler.countdown(named: "code")
    #expect(found?.value == .seconds(6))
    #expect(scheduler.timer(named: "code")?.state == .scheduled)
    await advance(6)
    #expect(found?.timer.state == .finished(.completed))
    #expect(scheduler.countdown(named: "code") == nil)
    #expect(scheduler.nameCount == 0)
  }

  @Test(.hazard("Y9"), .guarantee("G77"))
  func `A countdown without name ends with its handle and streams`() async {
    var countdown: Countdown? = scheduler.countdown(from: .seconds(10))
    let consumer = countdown.map { Consumer($0.values) }
    countdown = nil
    #expect(await consumer?.next() == .seconds(10))
    await advance(1)
    #expect(await consumer?.next() == .seconds(9))
    consumer?.cancel()
    await consumer?.waitUntilDone()
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.hazard("M3")) func `A countdown ends with its owner, and names are the owner's`() async {
    let releases = Journal<Void>()
    var screen: ReleaseProbe? = ReleaseProbe { releases.note() }
    let other = ReleaseProbe()
    let countdown = scheduler.countdown(from: .seconds(10), name: "code", owner: screen ?? other)
    let ofSeconds = scheduler.countdown(from: 10, owner: screen ?? other)
    let others = scheduler.countdown(from: .seconds(20), name: "code", owner: other)
    #expect(scheduler.countdown(named: "code", owner: other)?.value == .seconds(20))
    #expect(scheduler.countdown(named: "code") == nil)
    screen = nil
    await releases.next()
    await advance(1)
    for ended in [countdown, ofSeconds] { #expect(await ended.timer.waitUntilFinished() == .ownerReleased) }
    #expect(others.timer.state == .scheduled)
  }
}
