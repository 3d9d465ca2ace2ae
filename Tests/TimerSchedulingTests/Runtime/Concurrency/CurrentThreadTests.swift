import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite struct CurrentThreadTests {
  @Test func `A thread keeps its number, and of many threads no number has most`() async {
    var counts = [Int](repeating: 0, count: 8)
    for number in await numbers(ofThreads: 64) { counts[number] += 1 }
    #expect(counts.reduce(0, +) == 64)
    #expect(counts.max()! < 32)
  }

  /// The numbers of threads that live at the same time.
  private func numbers(ofThreads count: Int) async -> [Int] {
    let journal = Journal<Int>()
    let ready = DispatchGroup()
    let end = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      ready.enter()
      Thread.detachNewThread {
        let number = CurrentThread.number(below: 8)
        if (0..<100).allSatisfy({ _ in CurrentThread.number(below: 8) == number }) { journal.note(number) }
        ready.leave()
        end.wait()
      }
    }
    await withCheckedContinuation { continuation in ready.notify(queue: .global()) { continuation.resume() } }
    for _ in 0..<count { end.signal() }
    return journal.entries
  }
}
