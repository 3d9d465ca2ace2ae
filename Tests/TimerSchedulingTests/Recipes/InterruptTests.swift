import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The recipe for Ctrl-C. Its signal comes in real time, its actions run in that of the scheduler.
@Suite(.serialized, .limited, .guarantee("G143")) struct InterruptTests {
  private let log = Journal<Duration>()

  @Test func `Work goes on each virtual second until an interrupt`() async throws {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let events = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: events))
    let program = await program(on: scheduler, signal: SIGUSR1)
    // The timer has begun.
    await events.next()
    await clock.advance(by: .seconds(3))
    kill(getpid(), SIGUSR1)
    try await program.value
    await clock.advance(by: .seconds(3))
    #expect(log.entries == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `Work goes on each second until an interrupt`() async throws {
    let scheduler = TimerScheduler()
    let program = await program(on: scheduler, signal: SIGUSR2)
    _ = await log.next()
    kill(getpid(), SIGUSR2)
    try await program.value
    #expect(log.entries.allSatisfy { $0 >= .seconds(1) })
    #expect(await scheduler.statistics.activeCount == 0)
  }

  private func program(on scheduler: TimerScheduler, signal: Int32) async -> Task<Void, any Error> {
    let interrupts = await interrupts(by: signal)
    let start = scheduler.clock.now
    return Task {
      try await work(on: scheduler, until: interrupts) { log.note(start.duration(to: scheduler.clock.now)) }
    }
  }
}
