import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers on a rule whose ticks no task waited for, so that the rule hasn't been asked yet which dates have passed.
@Suite(.limited, .guarantee("G38")) struct RuleTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  private func expect(
    _ tick: TimerTick?, at seconds: Double, due: Double, missed: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(tick?.date == start + seconds, sourceLocation: sourceLocation)
    #expect(tick?.scheduledDate == start + due, sourceLocation: sourceLocation)
    #expect(tick?.missedCount == missed, sourceLocation: sourceLocation)
  }

  // seconds  0    10    20   30   40
  // dates         |     |    |    |
  // process  ==[   stopped     ]====
  // tick                       x
  @Test func `After a stall the late tick carries the date at which it fired`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(5)
    clock.letPass(.seconds(29))
    await advance(0)
    expect(await firings.next(), at: 34, due: 30, missed: 2)
  }

  // seconds  0    10    20   30   40   50
  // dates         x     |    |    |    x
  // process  ======[ asked ]=============
  // tick          x            x       x
  @Test func `Dates that pass while the rule is asked make one late tick`() async {
    let delay = Box<Duration>()
    let rule = Answering { [clock] date in
      if let duration = delay.value {
        delay.value = nil
        clock.letPass(duration)
      }
      return EverySeconds(10).nextTick(after: date)
    }
    let timer = scheduler.timer(on: .rule(rule))
    var firings = timer.firings.makeAsyncIterator()
    await advance(10)
    delay.value = .seconds(35)
    expect(await firings.next(), at: 10, due: 10, missed: 0)
    await advance(0)
    expect(await firings.next(), at: 45, due: 40, missed: 2)
    await advance(5)
    expect(await firings.next(), at: 50, due: 50, missed: 0)
  }

  @Test func `A tick fired by hand comes after the dates that have passed before it`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(10)
    expect(await firings.next(), at: 10, due: 10, missed: 0)
    let early = timer.firings
    await advance(25)
    timer.fire()
    await advance(2)
    expect(await firings.next(), at: 35, due: 35, missed: 2)
    withExtendedLifetime(early) {}
  }

  @Test func `Resumed to tick at once, it ticks at that moment`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(25)
    timer.pause()
    await advance(10)
    timer.resume(.immediately)
    expect(await firings.next(), at: 35, due: 35, missed: 2)
  }

  // seconds  0    10    20   30   40   50   60
  // dates         x     x    -    x    -    x
  // paused                 [   ]    [    ]
  @Test func `Dates between two pauses are ticks, and those in them aren't`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(25)
    for _ in 0..<2 {
      timer.pause()
      await advance(10)
      timer.resume()
      await advance(10)
    }
    expect(await firings.next(), at: 60, due: 60, missed: 3)
  }

  @Test func `Pauses beyond those that are told apart are one`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(5)
    for _ in 0..<100 {
      timer.pause()
      await advance(1)
      timer.resume()
      await advance(9)
    }
    let tick = await firings.next()
    #expect(tick.map { $0.scheduledDate > start + 150 } == true)
    await advance(20)
    #expect(await firings.next() != nil)
  }

  @Test func `A listener that joins beside a busy one is owed nothing that has passed`() async {
    let timer = scheduler.timer(on: .rule(EverySeconds(10)))
    var busy = timer.firings.makeAsyncIterator()
    await advance(35)
    var joined = timer.firings.makeAsyncIterator()
    await advance(5)
    expect(await joined.next(), at: 40, due: 40, missed: 0)
    expect(await busy.next(), at: 40, due: 40, missed: 3)
  }
}
