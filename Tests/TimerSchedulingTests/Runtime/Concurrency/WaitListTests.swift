import TestSupport
import Testing
import TimerScheduling

@Suite struct WaitListTests {
  @Test func `Tasks that have given up don't stay for long`() {
    var list = WaitList<Int>()
    for number in 0..<1_000 { list.append(number) }
    for number in 0..<900 { list.gaveUp { $0 <= number } }
    let left = list.takeAll()
    #expect(left.count < 250 && left.last == 999 && left == left.sorted())
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `After calls in any order two lists equal arrays`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (list, woken) = (WaitList<Int>(), WaitList<Int>())
    var array: [Int] = []
    var wokenArray: [Int] = []
    for number in 0..<5_000 {
      let bound = Int.random(in: 0...number, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: #expect(list.popFirst() == (array.isEmpty ? nil : array.removeFirst()), "seed \(seed)")
      case 1:
        let over = Array(array.prefix { $0 < bound })
        array.removeFirst(over.count)
        #expect(list.takeFirst { $0 < bound } == over, "seed \(seed)")
      case 2:
        let all = generator.chance(20)
        list.move(all: all, to: &woken)
        let moved = array.prefix(all ? .max : 1)
        wokenArray += moved
        array.removeFirst(moved.count)
      case 3 where generator.chance(20):
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
