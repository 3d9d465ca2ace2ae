import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Calls that move a clock in a task that is cancelled.
@Suite(.limited, .guarantee("G135")) struct CancelledMoveTests {
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  // Each action schedules another one that is due at once, until the test is over.
  @Test(arguments: [Duration.zero, .seconds(60)], [MoveKind.advance, .stall, .setWallClock, .runUntilIdle])
  func `A cancelled move ends, though actions schedule what is due at once`(
    timeout: Duration, kind: MoveKind
  ) async {
    let clock = VirtualClock(settlingTimeout: timeout)
    let chain = Chain(on: TimerScheduler(clock: clock))
    let (isBegun, begin) = AsyncStream.makeStream(of: Never.self)
    let mover = Task {
      for await _ in isBegun {}
      await kind.move(clock)
    }
    chain.begin(cancelling: mover)
    begin.finish()
    await mover.value
    chain.isOver.store(true, ordering: .relaxed)
    // It has stopped at the moment to which it was moved first.
    #expect(clock.now.offset == (kind == .stall ? .seconds(10) : .zero))
  }

  // A group that is cancelled cancels its tasks before they begin.
  @Test(arguments: [MoveKind.advance, .stall, .setWallClock, .runUntilIdle])
  func `A task that was cancelled before doesn't change the time`(kind: MoveKind) async {
    let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Date>())
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.every(1)) { log.note($0.date) }
    scheduler.schedule(.at(start + 1)) { log.note($0.date) }
    await withDiscardingTaskGroup { group in
      group.cancelAll()
      group.addTask { await kind.move(clock) }
    }
    #expect(clock.date == start)
    #expect(clock.now.offset == .zero)
    #expect(log.entries.isEmpty)
    // The next call moves the clock as if nothing had happened.
    await clock.advance(by: .seconds(1))
    #expect(log.entries == [start + 1, start + 1])
  }
}

enum MoveKind: Sendable {
  case advance, stall, setWallClock, runUntilIdle

  func move(_ clock: VirtualClock) async {
    switch self {
    case .advance: await clock.advance(by: .seconds(10))
    case .stall: await clock.stall(for: .seconds(10))
    case .setWallClock: await clock.setWallClock(to: Date(timeIntervalSinceReferenceDate: 10))
    case .runUntilIdle: await clock.runUntilIdle(limit: .seconds(10))
    }
  }
}

/// Actions of which each schedules the next, which is due at once.
private final class Chain: Sendable {
  let isOver = Atomic(false)
  private let rounds = Atomic(0)
  private let scheduler: TimerScheduler

  init(on scheduler: TimerScheduler) { self.scheduler = scheduler }

  /// Begins the chain, which cancels a task in its hundredth round and goes on.
  func begin(cancelling task: Task<Void, Never>) {
    scheduler.schedule(.after(.zero)) { [self] _ in
      let round = rounds.add(1, ordering: .relaxed).newValue
      if round == 100 { task.cancel() }
      // Leaves the processors to the tests beside this one until the task has a turn.
      if round > 100 { try? await Task.sleep(for: .milliseconds(1)) }
      if !isOver.load(ordering: .relaxed) { begin(cancelling: task) }
    }
  }
}
