import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G53")) struct ResequencerTests {
  @Test func `An element that comes before its turn waits for it`() {
    var order = Resequencer<String>(from: 7)
    #expect(order.takeNext() == [])
    order.insert("b", number: 8)
    order.insert("d", number: 10)
    #expect(order.takeNext() == [])
    order.insert("a", number: 7)
    #expect(order.takeNext() == ["a", "b"])
    order.insert("c", number: 9)
    #expect(order.takeNext() == ["c", "d"])
    #expect(order.takeNext() == [])
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `In whatever order elements come, they leave in that of their numbers`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var order = Resequencer<Int>(from: 0)
      var taken: [Int] = []
      for number in (0..<200).shuffled(using: &generator) {
        order.insert(number, number: number)
        if generator.chance(20) { taken += order.takeNext() }
      }
      taken += order.takeNext()
      #expect(taken == Array(0..<200), "seed \(seed)")
    }
  }
}
