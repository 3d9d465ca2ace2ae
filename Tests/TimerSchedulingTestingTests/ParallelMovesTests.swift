import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Clocks that are moved while other tasks of the process are busy all the time.
@Suite(.limited, .guarantee("G138")) struct ParallelMovesTests {
  // Counts rounds rather than time, as a machine may be slow. If a move waited until other tests are quiet,
  // each stop would take a hundred rounds.
  @Test func `A clock doesn't wait for a task of another test, which never stops`() async {
    let isOver = Box<Bool>()
    let workers = [Worker(), Worker()]
    let busy = Task { @MainActor in
      while isOver.value == nil {
        // From the main actor, a task goes to another actor in a job of that actor.
        for worker in workers { await worker.work() }
        await Task.yield()
      }
    }
    let clocks = (0..<2).map { _ in VirtualTime.reporting() }
    await withDiscardingTaskGroup { group in
      for time in clocks {
        group.addTask { await move(time) }
      }
    }
    isOver.value = true
    await busy.value
    for time in clocks {
      #expect(time.lines.entries.isEmpty)
      #expect(time.clock.workCount < 1000)
    }
  }

  /// Moves a clock through ten stops, at each of which a participant rests while tasks of its own wait.
  private func move(_ time: VirtualTime) async {
    let task = time.clock.addTask { [clock = time.clock, scheduler = time.scheduler] in
      await withTaskGroup(of: Int.self) { group in
        group.addTask {
          var count = 0
          for await _ in scheduler.timer(on: .every(1).limit(9)).firings { count += 1 }
          return count
        }
        group.addTask {
          try? await clock.sleep(for: .seconds(20))
          return 0
        }
        return await group.reduce(0, +)
      }
    }
    await time.clock.advance(by: .seconds(20))
    #expect(await task.value == 9)
  }
}

private actor Worker {
  private var count = 0

  func work() { count += 1 }
}
