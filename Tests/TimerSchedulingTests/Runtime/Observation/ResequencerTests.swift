import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G53")) struct ResequencerTests {
  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `In whatever order elements come, each leaves once all before it have come`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for first in 0..<100 {
      var order = Resequencer<Int>(from: first)
      var (waiting, next) = (Set<Int>(), first)
      for number in (first..<first + 200).shuffled(using: &generator) {
        order.insert(number, number: number)
        waiting.insert(number)
        guard generator.chance(20) || waiting.count == first + 200 - next else { continue }
        var expected: [Int] = []
        while waiting.remove(next) != nil {
          expected.append(next)
          next += 1
        }
        #expect(order.takeNext() == expected, "seed \(seed)")
      }
      #expect(next == first + 200, "seed \(seed)")
    }
  }
}
