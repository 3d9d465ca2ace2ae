import TestSupport
import Testing
import TimerScheduling

/// Elements on two clocks, which change between them.
@Suite(.guarantee("G3")) struct DeadlineQueueTests {
  @Test(arguments: SeededGenerator.seeds(1, 20_260_101, 0xFEED))
  func `Random operations on two clocks give what two sorted arrays give`(seed: UInt64) {
    var run = QueueRun(seed: seed)
    var mismatch: String?
    for operation in 0..<rounds(20_000) where mismatch == nil {
      mismatch = run.performOne().map { "operation \(operation): \($0)" }
    }
    #expect(mismatch == nil, "replay with TIMER_SEED=\(seed)")
    #expect(run.movedCount > rounds(400))
    #expect(run.takenCount > rounds(2_000))
  }

  // After an entry with a long tolerance, many near ones make the wheel place all its entries again.
  @Test func `A wheel that places its entries again leaves out those of the other clock, and unfiled ones`() {
    let queue = QueueBox<Int>()
    let hour: Int64 = 3_600_000_000_000
    for number in 0..<10 {
      queue.insert(number, on: .wall, at: Int64(number) * hour)
      _ = queue.add(-number)
    }
    queue.insert(100, at: hour)
    queue.insert(101, at: 1, tolerance: hour - 2)
    #expect(queue.popExpired(on: .monotonic, at: Deadline(nanoseconds: 1)) == 101)
    for number in 0..<200 { queue.insert(number, at: hour / 2) }

    #expect(queue.nearCount == 0)
    #expect(queue.invariantsHold())
    #expect(queue.popAll(at: hour / 2) == Array(0..<200))
    for number in 0..<10 { #expect(queue.popExpired(on: .wall, at: .never) == number) }
    #expect(queue.count == 11)
  }
}

/// A queue and its model, with the operations on both.
private struct QueueRun {
  private struct Entry {
    let element: Int
    var filing: Filing?
    var number: UInt64 = 0
  }

  private let queue = QueueBox<Int>()
  private var random: SeededGenerator
  private var model: [UInt32: Entry] = [:]
  private var now: [Timeline: Deadline] = [:]
  private var lastNumber: UInt64 = 0
  private(set) var movedCount = 0
  private(set) var takenCount = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns the first difference.
  mutating func performOne() -> String? {
    let timeline: Timeline = random.chance(50) ? .monotonic : .wall
    // In order, as that of a dictionary isn't the same in each run.
    let index = model.keys.sorted().randomElement(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25 where model.count < 80: add()
    case 0..<55: if let index { file(index, on: timeline) }
    case 55..<60: if let index { unfile(index) }
    case 60..<70: if let index, let mismatch = remove(index) { return mismatch }
    case 70 where random.chance(10): if let mismatch = unfileAll() { return mismatch }
    default: if let mismatch = advance(timeline) { return mismatch }
    }
    return random.chance(5) ? check() : nil
  }

  private mutating func add() {
    lastNumber += 1
    let element = Int(lastNumber)
    model[queue.add(element)] = Entry(element: element)
  }

  private mutating func file(_ index: UInt32, on timeline: Timeline) {
    let deadline = time(timeline) + Interval(nanoseconds: random.magnitude(bits: 0...40))
    let tolerance = random.chance(20) ? random.magnitude(bits: 0...35) : 0
    let filing = Filing(timeline: timeline, at: deadline.nanoseconds, tolerance: tolerance)
    lastNumber += 1
    queue.start(timeline, at: time(timeline))
    queue.file(index, filing, number: lastNumber)
    if let old = model[index]?.filing, old.timeline != timeline { movedCount += 1 }
    model[index]?.filing = filing
    model[index]?.number = lastNumber
  }

  private mutating func unfile(_ index: UInt32) {
    queue.unfile(index)
    model[index]?.filing = nil
  }

  private mutating func remove(_ index: UInt32) -> String? {
    let (removed, expected) = (queue.remove(index), model.removeValue(forKey: index)?.element)
    return removed == expected ? nil : "removing \(index) removed \(removed), not \(expected as Int?)"
  }

  private mutating func unfileAll() -> String? {
    let elements = queue.unfileAll().sorted()
    for index in model.keys { model[index]?.filing = nil }
    let isEmpty = queue.nextWakeup(on: .monotonic) == nil && queue.nextWakeup(on: .wall) == nil
    return isEmpty && elements == model.values.map(\.element).sorted() ? nil : "unfiled \(elements)"
  }

  private func time(_ timeline: Timeline) -> Deadline {
    now[timeline] ?? Deadline(nanoseconds: timeline == .wall ? 1_790_000_000_000_000_000 : 1_000_000_000)
  }

  /// Lets a clock go on, or sets it back, and takes what is due.
  private mutating func advance(_ timeline: Timeline) -> String? {
    let step = random.magnitude(bits: 0...34)
    let isSetBack = timeline == .wall && random.chance(10)
    now[timeline] = time(timeline) + Interval(nanoseconds: isSetBack ? -step : step)
    while true {
      let expected = firstDue(on: timeline)
      let taken = queue.takeExpired(on: timeline, at: time(timeline))
      guard taken?.index == expected?.index, taken?.number == expected?.entry.number else {
        return "took \(taken?.element as Int?), not \(expected?.entry.element as Int?)"
      }
      guard let expected else { return nil }
      takenCount += 1
      model[expected.index]?.filing = nil
    }
  }

  private func firstDue(on timeline: Timeline) -> (index: UInt32, entry: Entry)? {
    let first = model.compactMap { index, entry in
      entry.filing.flatMap { $0.timeline == timeline ? (latest: $0.latest, index: index, entry: entry) : nil }
    }
    .min { ($0.latest, $0.entry.number) < ($1.latest, $1.entry.number) }
    guard let first, let filing = first.entry.filing, filing.deadline <= time(timeline) else { return nil }
    return (first.index, first.entry)
  }

  private func check() -> String? {
    if !queue.invariantsHold() { return "an invariant doesn't hold" }
    if queue.count != model.count { return "counts \(queue.count), not \(model.count)" }
    let filed = model.values.compactMap { entry in entry.filing.map { (entry.element, $0) } }
    if queue.filedCount != filed.count { return "counts \(queue.filedCount) deadlines, not \(filed.count)" }
    for (index, entry) in model where queue.element(index) != entry.element { return "moves an element" }
    for timeline in [Timeline.monotonic, .wall] {
      let (elements, expected) = (queue.elements(on: timeline), filed.filter { $0.1.timeline == timeline })
      // Elements without a deadline may be about to be filed on either clock.
      let listed = model.values.filter { $0.filing.map { $0.timeline == timeline } ?? true }
      if elements.sorted() != listed.map(\.element).sorted() { return "has \(elements) on \(timeline)" }
      let wakeup = queue.nextWakeup(on: timeline)
      guard let first = expected.map(\.1.latest).min() else {
        if let wakeup { return "wakes at \(wakeup) for nothing" }
        continue
      }
      if wakeup.map({ $0 > first }) ?? true { return "wakes at \(wakeup as Deadline?), not by \(first)" }
    }
    return nil
  }
}
