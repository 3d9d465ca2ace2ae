import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The end of a timer as the last of its events.
@Suite(.guarantee("G62")) struct LastEventTests {
  private let clock: VirtualClock
  private let log = Journal<TimerEvent>()
  private let scheduler: TimerScheduler

  init() {
    clock = VirtualClock()
    var configuration = TimerScheduler.Configuration(observer: log)
    configuration.printsFailures = false
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
  }

  private struct Failure: Error {}

  @Test(arguments: [
    TimerSchedule.after(1), .every(1).limit(1), .every(1).until(Date(timeIntervalSinceReferenceDate: 1.5)),
    .every(1).missedTicks(.burst).until(Date(timeIntervalSinceReferenceDate: 3.5)),
  ])
  func `A listener that takes the last tick after the timer has completed causes no event`(
    schedule: TimerSchedule
  ) async {
    let timer = scheduler.timer(on: schedule, name: "a")
    await clock.advance(by: .seconds(5))
    let wasFinished = timer.state.isFinished
    var firings = timer.firings.makeAsyncIterator()
    #expect(await firings.next()?.index == 0)
    while await firings.next() != nil {}
    timer.cancel()
    await scheduler.shutdownAndWait()
    #expect(log.lines.last == "a finished: completed")
    let ticks = log.lines.count { $0.contains("tick") }
    if wasFinished { #expect(ticks == 0) }
    #expect(await scheduler.statistics.tickCount == ticks)
  }

  @Test func `What one of several listeners takes after the timer has completed was told before`() async {
    let timer = scheduler.timer(on: .every(1).missedTicks(.burst).limit(3), name: "a")
    var (quick, slow) = (timer.firings.makeAsyncIterator(), timer.firings.makeAsyncIterator())
    await clock.advance(by: .seconds(5))
    for index in 0..<3 { #expect(await quick.next()?.index == index) }
    #expect(timer.state == .finished(.completed))
    for index in 0..<3 { #expect(await slow.next()?.index == index) }
    await scheduler.shutdownAndWait()
    #expect(log.lines == ["a scheduled", "a tick 0", "a tick 1", "a tick 2", "a finished: completed"])
    #expect(await scheduler.statistics.totals == [3, 0, 0])
  }

  enum End: CaseIterable { case cancelled, replaced, schedulerShutDown }

  @Test(arguments: End.allCases)
  func `The error of a run that outlives its timer isn't an event`(end: End) async {
    let (begun, mayFail) = (Latch(), Latch())
    let timer = scheduler.schedule(.every(1), name: "a") { _ in
      begun.open()
      await mayFail.wait()
      throw Failure()
    }
    timer.fire()
    await begun.wait()
    switch end {
    case .cancelled: timer.cancel()
    case .replaced: scheduler.schedule(.after(100), name: "a") { _ in }
    case .schedulerShutDown: scheduler.shutdown()
    }
    #expect(timer.state.isFinished)
    mayFail.open()
    await scheduler.shutdownAndWait()
    #expect(
      log.entries.filter { $0.timer == timer.id }.map(\.summary) == [
        "a scheduled", "a tick 0", "a finished: \(end)",
      ])
    #expect(await scheduler.statistics.totals == [1, 0, 0])
    #expect(timer.failure is Failure)
  }
}
