import Dispatch
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// What an error says about tasks that can't go on: rule T7.
@Suite(.limited, .guarantee("G207")) struct StandstillChainTests {
  @Test func `An error names the chain of waits, with names of tasks`() async throws {
    let error = try #require(
      await #expect(throws: VirtualTimeError.self) {
        try await withVirtualClock(timeout: .milliseconds(200)) { clock in
          let (never, input) = AsyncStream.makeStream(of: Never.self)
          let save = Task(name: "save") {
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
          }
          let load = Task(name: "load") { await save.value }
          await load.value
          withExtendedLifetime((never, input)) {}
        }
      })
    #expect(error.description.contains("waits for the task \"load\""))
    #expect(error.description.contains("waits for the task \"save\""))
  }

  @Test func `Two tasks that wait for each other are called a deadlock at once`() async throws {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let error = try #require(
        await #expect(throws: VirtualTimeError.self) {
          // Far longer than this process may run.
          try await withVirtualClock(timeout: .seconds(10_000)) { clock in
            let other = Box<Task<Void, Never>>()
            let first = Task(name: "first") {
              try? await Task.sleep(for: .seconds(1))
              await other.value?.value
            }
            let second = Task(name: "second") { await first.value }
            other.value = second
            await second.value
          }
        })
      #expect(error.description.contains("deadlock"))
      #expect(error.description.contains("\"first\""))
      #expect(error.description.contains("\"second\""))
    }
  }

  @Test func `A move of the clock names a task that waits for its turn on an actor`() async throws {
    let (failures, room, gate) = (Journal<String>(), Room(), DispatchSemaphore(value: 0))
    let stranger = Task.detached { await room.block(on: gate) }
    while !room.isBlocked.value { await Task.yield() }
    let clock = VirtualClock(settlingTimeout: .milliseconds(100), onFailure: failures.note)
    let work = Task(name: "work") { await room.enter() }
    let report = clock.addTask(name: "report") { await work.value }
    await clock.advance(by: 1)
    #expect(failures.entries.first?.contains("\"report\"") == true)
    #expect(failures.entries.first?.contains("waits for the task \"work\"") == true)
    #expect(failures.entries.first?.contains("waits for its turn on an actor of type Room") == true)
    gate.signal()
    await stranger.value
    await report.value
  }
}

private actor Room {
  nonisolated let isBlocked = Flag()
  private var visitCount = 0

  func enter() { visitCount += 1 }

  func block(on gate: DispatchSemaphore) {
    isBlocked.set()
    gate.wait()
  }
}

private final class Flag: Sendable {
  private let count = Counter()

  var value: Bool { count.value > 0 }
  func set() { count.add() }
}
