import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Timers on a rule that hasn't been asked yet which dates have passed.
@Suite(.limited, .guarantee("G39")) struct RuleTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

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
    #expect(await firings.next()?.row == .init(due: 10, index: 0))
    await advance(0)
    #expect(await firings.next()?.row == .init(due: 40, at: 45, index: 1, missed: 2))
    await advance(5)
    #expect(await firings.next()?.row == .init(due: 50, index: 2))
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
}
