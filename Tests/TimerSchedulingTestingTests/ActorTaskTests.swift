import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Tasks of runs and added tasks, made in all ways and on all kinds of actors, that wait for the clock.
@Suite(.limited, .guarantee("G131")) struct ActorTaskTests: VirtualTimeSuite {
  let time = VirtualTime()
  private let log = Journal<Duration>()

  /// The moves are exact, and no settling timeout was needed.
  private func expectEnds(_ count: Int = 3) async {
    await advance(10)
    #expect(log.entries == (1...count).map { .seconds($0) + .milliseconds(500) })
    #expect(clock.settlingTimeoutCount == 0)
  }

  private var rest: @Sendable () async -> Void {
    { [clock] in try? await clock.sleep(for: .milliseconds(500)) }
  }

  private var end: @Sendable () -> Void {
    { [clock, log] in log.note(clock.now.offset) }
  }

  // MARK: Actions

  @Test func `An action on the main actor awaits a task that it has made there`() async {
    scheduler.schedule(.every(1).limit(3)) { @MainActor [rest, end] _ in
      await Task { await rest() }.value
      end()
    }
    await expectEnds()
  }

  @Test func `An action awaits a task of the main actor`() async {
    scheduler.schedule(.every(1).limit(3)) { [rest, end] _ in
      await Task { @MainActor in await rest() }.value
      end()
    }
    await expectEnds()
  }

  @Test func `An action awaits a method of an actor which awaits a task of its own`() async {
    let worker = DefaultWorker()
    scheduler.schedule(.every(1).limit(3)) { [rest, end] _ in
      await worker.work(rest)
      end()
    }
    await expectEnds()
  }

  @Test func `An action of an actor that owns the timer awaits a task of that actor`() async {
    let worker = DefaultWorker()
    scheduler.schedule(.every(1).limit(3), owner: worker) { [rest, end] worker, _ in
      await worker.work(rest)
      end()
    }
    await expectEnds()
  }

  @Test func `An action awaits a task of an object of the main actor`() async {
    let worker = MainWorker()
    scheduler.schedule(.every(1).limit(3)) { [rest, end] _ in
      await worker.work(rest)
      end()
    }
    await expectEnds()
  }

  @Test
  func `An action awaits a task of an actor with an executor of its own`() async {
    let worker = QueueWorker()
    scheduler.schedule(.every(1).limit(3)) { [rest, end] _ in
      await worker.work(rest)
      end()
    }
    await expectEnds()
  }

  @Test func `An action on a global actor awaits a task that it has made there`() async {
    scheduler.schedule(.every(1).limit(3)) { @Aside [rest, end] _ in
      await Task { await rest() }.value
      end()
    }
    await expectEnds()
  }

  @Test func `An action awaits a group whose children are of the main actor`() async {
    scheduler.schedule(.every(1).limit(3)) { [clock, end] _ in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask { @MainActor @Sendable in try? await clock.sleep(for: .milliseconds(500)) }
        }
      }
      end()
    }
    await expectEnds()
  }

  @Test func `An action awaits tasks that begin immediately`() async {
    scheduler.schedule(.every(1).limit(3)) { [clock, end] _ in
      await withTaskGroup { group in
        for _ in 0..<3 {
          group.addImmediateTask { try? await clock.sleep(for: .milliseconds(500)) }
        }
      }
      end()
    }
    await expectEnds()
  }

  @Test func `An action on the main actor awaits a task that begins immediately`() async {
    scheduler.schedule(.every(1).limit(3)) { @MainActor [rest, end] _ in
      await Task.immediate { await rest() }.value
      end()
    }
    await expectEnds()
  }

  @Test func `The program of C4 prints all of its lines`() async {
    let lines = Journal<String>()
    scheduler.schedule(.every(1).limit(4)) { [scheduler] tick in
      await withTaskGroup { group in
        for number in 0..<3 {
          group.addImmediateTask {
            try? await scheduler.sleep(for: .milliseconds(100 * number + 100))
            lines.note("child \(tick.index)")
          }
        }
      }
      lines.note("end \(tick.index)")
    }
    await advance(10)
    #expect(lines.entries == (0..<4).flatMap { ["child \($0)", "child \($0)", "child \($0)", "end \($0)"] })
  }

  // MARK: Added tasks

  @Test func `An added task of the main actor awaits a task that it has made there`() async {
    let task = clock.addTask { @MainActor [rest, end, scheduler] in
      try? await scheduler.sleep(for: .seconds(1))
      await Task { await rest() }.value
      end()
    }
    await expectEnds(1)
    _ = await task.result
  }

  @Test func `An added task awaits tasks that begin immediately`() async {
    let task = clock.addTask { [rest, end, scheduler] in
      await Task.immediate { try? await scheduler.sleep(for: .seconds(1)) }.value
      await Task.immediate { await rest() }.value
      end()
    }
    await expectEnds(1)
    _ = await task.result
  }

  @Test func `An added task awaits actors of all kinds`() async {
    let (first, second) = (DefaultWorker(), MainWorker())
    let task = clock.addTask { [clock, log, rest] in
      await first.work(rest)
      await second.work(rest)
      await Task { @Aside in await Task { await rest() }.value }.value
      log.note(clock.now.offset)
    }
    await advance(10)
    #expect(log.entries == [.seconds(1.5)])
    #expect(clock.settlingTimeoutCount == 0)
    await task.value
  }
}

private actor DefaultWorker {
  private var count = 0

  func work(_ rest: @escaping @Sendable () async -> Void) async {
    await Task {
      count += 1
      await rest()
    }.value
  }
}

private actor QueueWorker {
  private let executor = SerialQueueExecutor(label: "QueueWorker")
  private var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  func work(_ rest: @escaping @Sendable () async -> Void) async {
    await Task {
      count += 1
      await rest()
    }.value
  }
}

@MainActor private final class MainWorker {
  private var count = 0

  func work(_ rest: @escaping @Sendable () async -> Void) async {
    await Task {
      count += 1
      await rest()
    }.value
  }
}

@globalActor private actor Aside {
  static let shared = Aside()
}
