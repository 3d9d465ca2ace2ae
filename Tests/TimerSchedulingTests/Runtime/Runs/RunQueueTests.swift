import TestSupport
import Testing
import TimerScheduling

@Suite struct RunQueueTests {
  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `Random operations give what an array gives`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = RunQueue<Int>()
    var array: [Int] = []
    for number in 0..<rounds(50_000) {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        let batch = Array(number..<number + Int.random(in: 0...300, using: &generator))
        for number in batch { queue.append(number) }
        array += batch
      case 1...2:
        queue.append(number)
        array.append(number)
      case 3:
        queue.releaseMemory()
      default:
        // Often to the end, and beyond.
        for _ in 0..<Int.random(in: 0...100, using: &generator) {
          let first = queue.popFirst()
          #expect(first == array.first, "seed \(seed)")
          if !array.isEmpty { array.removeFirst() }
        }
      }
      let isEmpty = queue.isEmpty
      #expect(isEmpty == array.isEmpty, "seed \(seed)")
      var next: [Int] = []
      queue.forEachNext(16) { next.append($0) }
      #expect(next.elementsEqual(array.prefix(next.count)), "seed \(seed)")
      #expect(next.count <= 16, "seed \(seed)")
    }
  }

  @Test(arguments: [0, 1, 127, 128, 129, 1_000], [0, 1, 128, 200])
  func `Elements that were taken are released at once, and the rest with the queue`(count: Int, taken: Int) {
    let released = Lock(0)
    do {
      var queue = RunQueue<ReleaseProbe>()
      for _ in 0..<count { queue.append(ReleaseProbe { released.withLock { $0 += 1 } }) }
      for _ in 0..<taken { _ = queue.popFirst() }
      #expect(released.withLock { $0 } == min(count, taken))
      queue.releaseMemory()
    }
    #expect(released.withLock { $0 } == count)
  }
}
