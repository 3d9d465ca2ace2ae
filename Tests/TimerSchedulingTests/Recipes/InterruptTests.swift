import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The recipe for Ctrl-C. Its signal comes in real time, its actions run in that of the scheduler.
@Suite(.serialized, .limited, .guarantee("G136")) struct InterruptTests {
  private let log = Journal<Duration>()

  @Test func `Work goes on each virtual second until an interrupt`() async throws {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let events = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: events))
    let program = program(on: scheduler, signal: SIGUSR1)
    // The timer has begun.
    await events.next()
    await clock.advance(by: .seconds(3))
    try await interrupt(program, by: SIGUSR1)
    await clock.advance(by: .seconds(3))
    #expect(log.entries == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `Work goes on each second until an interrupt`() async throws {
    let scheduler = TimerScheduler()
    let program = program(on: scheduler, signal: SIGUSR2)
    _ = await log.next()
    try await interrupt(program, by: SIGUSR2)
    #expect(log.entries.allSatisfy { $0 >= .seconds(1) })
    #expect(await scheduler.statistics.activeCount == 0)
  }

  private func program(on scheduler: TimerScheduler, signal: Int32) -> Task<Void, any Error> {
    let interrupts = interrupts(by: signal)
    let start = scheduler.clock.now
    return Task {
      try await work(on: scheduler, until: interrupts) { log.note(start.duration(to: scheduler.clock.now)) }
    }
  }

  /// Interrupts the program until it has ended. The first signals are lost if the source isn't ready for them.
  private func interrupt(_ program: Task<Void, any Error>, by number: Int32) async throws {
    let ends = Journal<Bool>()
    let end = Task {
      defer { ends.note(true) }
      try await program.value
    }
    while ends.entries.isEmpty {
      kill(getpid(), number)
      usleep(1_000)
      await Task.yield()
    }
    try await end.value
  }
}
