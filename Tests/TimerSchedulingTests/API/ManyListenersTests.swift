import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// With 16 times as many listeners, an operation on each of them takes 16 times as long in all. It would take
/// 256 times as long if each operation depended on the number of listeners.
@Suite(
  .limited, .guarantee("G36"),
  .disabled(if: ProcessFacts.isUnderSanitizer, "The caches also hold the memory of a sanitizer."))
struct ManyListenersTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  /// The factor by which something takes longer with 16 times as many listeners, each of which is owed a
  /// tick.
  @MainActor private func growth(
    _ time: @MainActor (ScheduledTimer, inout [TimerFirings.AsyncIterator]) async -> Int
  ) async -> Double {
    var best = [500: Int.max, 8_000: Int.max]
    // The best of several, as a busy machine makes some slow.
    for _ in 0..<5 {
      for count in best.keys {
        let timer = scheduler.timer(on: .every(1))
        var listeners = (0..<count).map { _ in timer.firings.makeAsyncIterator() }
        await clock.advance(by: .seconds(1))
        best[count] = min(best[count, default: .max], await time(timer, &listeners))
      }
    }
    return Double(best[8_000, default: .max]) / Double(best[500, default: 1])
  }

  @MainActor
  @Test func `A listener leaves in a time that doesn't depend on the others`() async {
    let growth = await growth { _, listeners in
      let start = threadTime()
      listeners = []
      return threadTime() - start
    }
    #expect(growth < 160)
  }

  @MainActor
  @Test func `A listener takes a tick in a time that doesn't depend on the others`() async {
    let growth = await growth { _, listeners in
      // There is a tick for each, so that none suspends, and all of it is done on this thread.
      let start = threadTime()
      for index in listeners.indices { _ = await listeners[index].next() }
      return threadTime() - start
    }
    #expect(growth < 160)
  }

  @MainActor
  @Test func `A task gives up its wait for the end in a time that doesn't depend on the others`() async {
    let growth = await growth { timer, listeners in
      let tasks = listeners.map { _ in Task { @MainActor in await timer.waitUntilFinished() } }
      // The main actor's queue is first in, first out: after this they all wait.
      await Task { @MainActor in }.value
      let start = threadTime()
      for task in tasks.reversed() { task.cancel() }
      let time = threadTime() - start
      for task in tasks { _ = await task.value }
      return time
    }
    #expect(growth < 160)
  }
}
