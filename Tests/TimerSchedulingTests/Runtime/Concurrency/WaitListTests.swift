import TestSupport
import Testing
import TimerScheduling

@Suite struct WaitListTests {
  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `After calls in any order two lists equal arrays`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (list, woken) = (WaitList<Int>(), WaitList<Int>())
    var array: [Int] = []
    var wokenArray: [Int] = []
    for number in 0..<5_000 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        let all = generator.chance(20)
        list.move(all: all, to: &woken)
        let moved = array.prefix(all ? .max : 1)
        wokenArray += moved
        array.removeFirst(moved.count)
      case 2 where generator.chance(20):
        #expect(woken.takeAll() == wokenArray, "seed \(seed)")
        wokenArray = []
      default:
        list.append(number)
        array.append(number)
      }
      #expect(list.isEmpty == array.isEmpty, "seed \(seed)")
    }
  }
}
