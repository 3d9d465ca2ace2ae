import Dispatch
import TestSupport
import Testing
import TimerScheduling

@Suite struct CurrentThreadTests {
  @Test func `A thread keeps its number, and of many threads no number has most`() async {
    let numbers = Journal<Int>()
    let all = DispatchGroup()
    for _ in 0..<64 { all.enter() }
    await Threads.run(64) { _ in
      let number = CurrentThread.number(below: 8)
      if (0..<100).allSatisfy({ _ in CurrentThread.number(below: 8) == number }) { numbers.note(number) }
      all.leave()
      // All threads live at the same time.
      all.wait()
    }
    #expect(numbers.entries.count == 64)
    #expect((0..<8).allSatisfy { number in numbers.entries.filter { $0 == number }.count < 32 })
  }
}
