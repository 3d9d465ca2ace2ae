import Foundation
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Finished timers are gone, with everything they have held.
@Suite struct ReleaseTests {
  private final class Captured: Sendable {
    let report: AsyncStream<Void>.Continuation

    init(_ report: AsyncStream<Void>.Continuation) { self.report = report }

    deinit { report.yield() }
  }

  private let clock = VirtualClock.manual()
  private let scheduler: TimerScheduler

  init() {
    scheduler = clock.makeScheduler()
  }

  enum End: CaseIterable {
    case cancelled, completed, replaced, ownerReleased, failed, schedulerShutDown
  }

  @Test(arguments: End.allCases)
  func `What an action has captured is released with its timer's end`(end: End) async {
    let (releases, report) = AsyncStream.makeStream(of: Void.self)
    weak var captured: Captured?
    var owner: TimerOwner? = TimerOwner()
    let timer: ScheduledTimer
    do {
      let local = Captured(report)
      captured = local
      let schedule = TimerSchedule.every(1).limit(end == .completed ? 1 : .max)
      let isFailing = end == .failed
      timer = scheduler.schedule(
        schedule, name: "job", owner: owner ?? TimerOwner(), onError: .finish
      ) { _, _ in
        try withExtendedLifetime(local) { if isFailing { throw CancellationError() } }
      }
    }
    #expect(captured != nil)
    switch end {
    case .cancelled: timer.cancel()
    case .completed, .failed: await clock.advance(by: .seconds(1))
    case .replaced: scheduler.schedule(.every(1), name: "job", owner: owner ?? TimerOwner()) { _, _ in }
    case .ownerReleased: owner = nil
    case .schedulerShutDown: await scheduler.shutdownAndWait()
    }
    #expect(await timer.waitUntilFinished() != nil)
    // The handle still holds what is left of the timer.
    _ = await releases.first { true }
    #expect(captured == nil)
    #expect(await scheduler.timerCount == (end == .replaced ? 1 : 0))
    #expect(await scheduler.filedCount == (end == .replaced ? 1 : 0))
    withExtendedLifetime(timer) {}
  }

  @Test func `Two hundred thousand timers of one name leave one`() async {
    for _ in 0..<200_000 { _ = scheduler.timer(on: .every(3600), name: "job") }
    #expect(await scheduler.timerCount == 1)
    #expect(await scheduler.filedCount == 1)
    #expect(scheduler.nameCount == 1)
    #expect(await scheduler.timer(named: "job")?.state == .scheduled)
  }
}
