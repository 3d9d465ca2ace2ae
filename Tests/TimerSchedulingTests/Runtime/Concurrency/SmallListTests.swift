import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G82")) struct SmallListTests {
  @Test(.guarantee("G119"), arguments: [0, 1, 255, 256, 257, 1000, 10_000])
  func `A walk visits each element once, a chunk at a time`(count: Int) {
    var list = SmallList<Int>()
    for number in 0..<count { #expect(list.append(number) == number) }
    #expect(list.isEmpty == (count == 0) && list[count] == nil)
    var position = Int.max
    var visited: [Int] = []
    while position > 0 {
      let chunk = list.nextChunk(before: &position)
      #expect(chunk.count <= 256)
      visited += chunk
    }
    #expect(visited.sorted() == Array(0..<count))
    for position in (0..<count).reversed() { #expect(list.remove(at: position) == nil) }
    #expect(list.isEmpty)
  }

  /// A list whose elements know their positions, as timers and owners do.
  private struct Model {
    var list = SmallList<Int>()
    var positions: [Int: Int] = [:]
    private var last = 0

    mutating func add() {
      last += 1
      positions[last] = list.append(last)
    }

    mutating func remove(_ element: Int) {
      guard let position = positions.removeValue(forKey: element) else { return }
      if let moved = list.remove(at: position) { positions[moved] = position }
    }
  }

  @Test(.guarantee("G82"), arguments: SeededGenerator.seeds(1, 2, 3, 4))
  func `A walk misses no element that is there from its beginning to its end`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      var model = Model()
      for _ in 0..<Int.random(in: 0...3000, using: &generator) { model.add() }
      var steady = Set(model.positions.keys)
      var visited: Set<Int> = []
      var position = Int.max
      while position > 0 {
        visited.formUnion(model.list.nextChunk(before: &position))
        let removals = Int.random(in: 0...(generator.chance(10) ? 2000 : 100), using: &generator)
        for element in model.positions.keys.sorted().shuffled(using: &generator).prefix(removals) {
          model.remove(element)
          steady.remove(element)
        }
        for _ in 0..<Int.random(in: 0...100, using: &generator) { model.add() }
      }
      #expect(steady.isSubset(of: visited), "seed \(seed)")
      let elements = model.positions.map { (element, position) in model.list[position] == element }
      #expect(elements.allSatisfy(\.self) && model.list.count == elements.count, "seed \(seed)")
    }
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `After calls in any order two lists equal arrays`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (list, woken) = (SmallList<Int>(), SmallList<Int>())
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
