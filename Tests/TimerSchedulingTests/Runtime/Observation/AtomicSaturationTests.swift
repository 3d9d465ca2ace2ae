import Synchronization
import Testing
import TimerScheduling

@Suite struct AtomicSaturationTests {
  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  @Test(arguments: [
    (0, 0, 0), (2, 3, 5), (.max - 1, 1, .max), (.max - 1, 2, .max), (.max, 1, .max), (.max, .max, .max),
  ])
  func `A sum beyond the greatest number is that number`(count: Int, number: Int, sum: Int) {
    let atomic = Atomic(count)
    atomic.addSaturated(number)
    #expect(atomic.load(ordering: .relaxed) == sum)
  }

  @Test func `Nothing is lost where threads add at once`() async {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<50_000 { counter.count.addSaturated(1) } }
      }
    }
    #expect(counter.count.load(ordering: .relaxed) == 200_000)
  }
}
