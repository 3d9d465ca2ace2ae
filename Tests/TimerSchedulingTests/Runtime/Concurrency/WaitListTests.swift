import TestSupport
import Testing
import TimerScheduling

@Suite struct WaitListTests {
  private func list(_ numbers: Int...) -> WaitList<Int> {
    var list = WaitList<Int>()
    for number in numbers { list.append(number) }
    return list
  }

  @Test func `Tasks that have given up don't stay for long`() {
    var list = WaitList<Int>()
    for number in 0..<1_000 { list.append(number) }
    for number in 0..<900 { list.gaveUp { $0 <= number } }
    let left = list.takeAll()
    #expect(left.count < 250 && left.last == 999 && left == left.sorted())
  }

  @Test func `The first or all move behind those of another list`() {
    var (list, woken) = (list(1, 2, 3), WaitList<Int>())
    list.move(all: false, to: &woken)
    list.move(all: true, to: &woken)
    #expect(list.isEmpty)
    list.move(all: false, to: &woken)
    #expect(woken.takeAll() == [1, 2, 3])
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `After calls in any order the list equals an array`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = WaitList<Int>()
    var array: [Int] = []
    for number in 0..<5_000 {
      let bound = Int.random(in: 0...number, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: #expect(list.popFirst() == (array.isEmpty ? nil : array.removeFirst()), "seed \(seed)")
      case 1:
        let over = Array(array.prefix { $0 < bound })
        array.removeFirst(over.count)
        #expect(list.takeFirst { $0 < bound } == over, "seed \(seed)")
      default:
        list.append(number)
        array.append(number)
      }
      #expect(list.isEmpty == array.isEmpty, "seed \(seed)")
    }
  }
}
