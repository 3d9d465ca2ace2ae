import TestSupport
import TimerScheduling

/// A queue and its model, with the operations on both.
struct QueueRun {
  private struct Entry {
    let element: Int
    let index: UInt32
    /// The clock of the deadline, if there is one.
    var timeline: Timeline?
    var deadline = Deadline.never
    var latest = Deadline.never
    /// The position among all filings.
    var number = 0
  }

  private static let clocks: [Timeline] = [.monotonic, .wall]
  private static let lists: [Timeline?] = [nil, .monotonic, .wall]

  private let profile: QueueProfile
  private var random: SeededGenerator
  private var queue = QueueBox<Int>()
  /// The entries of each clock, sorted by latest moment and then by filing, and those without a deadline.
  private var model: [Timeline?: [Entry]] = [:]
  private var now: [Timeline: Deadline] = [:]
  private var lastDeadline = Deadline(nanoseconds: 0)
  /// The number of entries rises and falls in turns.
  private var isGrowing = true
  private var lastNumber = 0
  private(set) var poppedCount = 0
  private(set) var removedCount = 0
  private(set) var movedCount = 0
  private(set) var greatestCount = 0

  init(profile: QueueProfile, seed: UInt64) {
    self.profile = profile
    random = SeededGenerator(seed: seed)
  }

  /// Returns the first difference.
  mutating func perform(operations: Int) -> String? {
    for operation in 0..<operations {
      if let mismatch = performOne() ?? check(thoroughly: operation % min(2 * profile.crowd, 1_000) == 0) {
        return "operation \(operation): \(mismatch)"
      }
    }
    return drain()
  }

  private mutating func performOne() -> String? {
    switch Int.random(in: 0..<20 * profile.crowd, using: &random) {
    case 0: return drain()
    // Popping an entry that never comes takes the wheel to the end of time, so there must be new starts.
    case 1...2: return startAnew()
    case 3...6 where profile.removals > 0: return removeMost()
    case 7..<100: isGrowing = true
    default: if count >= profile.crowd { isGrowing = false }
    }
    let lot = Int.random(in: 0..<100, using: &random)
    if lot < profile.insertions || isGrowing && random.chance(80) {
      file(Entry(element: lastNumber, index: queue.add(lastNumber)))
      return nil
    }
    if lot < profile.insertions + profile.removals { return remove() }
    if lot < profile.insertions + profile.removals + profile.reschedules {
      reschedule()
      return nil
    }
    return advance(someClock())
  }

  private var count: Int { model.values.reduce(0) { $0 + $1.count } }

  private mutating func someClock() -> Timeline { random.chance(profile.walls) ? .wall : .monotonic }

  private func time(_ timeline: Timeline) -> Deadline { now[timeline] ?? Deadline(nanoseconds: 0) }

  private mutating func file(_ entry: Entry) {
    var entry = entry
    let timeline = someClock()
    if let old = entry.timeline, old != timeline { movedCount += 1 }
    let tolerance = random.chance(profile.tolerant) ? random.magnitude(bits: profile.tolerance) : 0
    let deadline = someDeadline(from: time(timeline))
    let latest = deadline + Interval(nanoseconds: tolerance)
    if random.chance(50) { queue.start(timeline, at: time(timeline)) }
    queue.file(entry.index, Filing(timeline: timeline, deadline: deadline, latest: latest))
    lastNumber += 1
    // An entry that is filed for an earlier moment of the same clock stays there.
    if entry.timeline != timeline || entry.latest > latest {
      (entry.timeline, entry.deadline, entry.latest) = (timeline, deadline, latest)
      entry.number = lastNumber
    }
    model[timeline, default: []].insert(entry, at: position(of: entry, on: timeline))
    lastDeadline = entry.deadline
    greatestCount = max(greatestCount, count)
  }

  private mutating func someDeadline(from now: Deadline) -> Deadline {
    let distance = Interval(nanoseconds: random.magnitude(bits: profile.reach))
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: return lastDeadline
    case 10..<20: return now - distance
    case 20..<30:
      // A border between slots of some level, or beside it.
      let slotBits = Int64(20 + 6 * Int.random(in: 0..<8, using: &random))
      let border = Deadline(nanoseconds: ((now + distance).nanoseconds >> slotBits) << slotBits)
      return border + Interval(nanoseconds: .random(in: -1...1, using: &random))
    case 30:
      return [.never, .never - Interval(nanoseconds: 1), now + .max, Deadline(nanoseconds: .min)]
        .randomElement(using: &random) ?? .never
    default: return now + distance
    }
  }

  private func position(of entry: Entry, on timeline: Timeline) -> Int {
    let entries = model[timeline] ?? []
    var range = entries.startIndex..<entries.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let other = entries[middle]
      let isBefore = (entry.latest, entry.number) < (other.latest, other.number)
      range = isBefore ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }

  private mutating func takeAny() -> Entry? {
    var position = Int.random(in: 0..<max(count, 1), using: &random)
    for list in Self.lists {
      let count = model[list]?.count ?? 0
      if position < count { return model[list]?.remove(at: position) }
      position -= count
    }
    return nil
  }

  private mutating func linger(_ entry: Entry) {
    var entry = entry
    entry.timeline = nil
    model[nil, default: []].append(entry)
  }

  private mutating func remove() -> String? {
    guard let entry = takeAny() else { return nil }
    removedCount += 1
    let removed = queue.remove(entry.index)
    return removed == entry.element ? nil : "removing \(entry.element) removed \(removed as Int?)"
  }

  private mutating func removeMost() -> String? {
    let few = Int.random(in: 0..<10, using: &random)
    while count > few {
      if let mismatch = remove() { return mismatch }
    }
    return nil
  }

  private mutating func reschedule() {
    guard let entry = takeAny() else { return }
    removedCount += 1
    guard random.chance(profile.lingering) else { return file(entry) }
    queue.file(entry.index, nil)
    linger(entry)
  }

  private mutating func advance(_ timeline: Timeline) -> String? {
    var now = time(timeline)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<profile.setbacks: now = now - Interval(nanoseconds: random.magnitude(bits: profile.step))
    case ..<50: now = now + Interval(nanoseconds: random.magnitude(bits: profile.step))
    case ..<60: now = now + Interval(nanoseconds: .random(in: 0...3, using: &random))
    case ..<70: break
    default:
      // Moves to the wakeup, as the scheduler does, but not to one that never comes.
      let wakeup = queue.nextWakeup(on: timeline)
      if wakeup - now < Interval(nanoseconds: 1 << 55) {
        now = profile.setbacks > 0 ? wakeup : max(now, wakeup)
      }
    }
    self.now[timeline] = now
    return popExpired(on: timeline, at: now)
  }

  private mutating func popExpired(on timeline: Timeline, at now: Deadline) -> String? {
    var expired = 0
    var due = queue.takeDue(on: timeline, at: now)
    while true {
      let next = model[timeline]?.dropFirst(expired).first
      let expected = next.flatMap { $0.deadline <= min(now, .last) ? $0 : nil }
      let taken = due.next()
      guard taken?.element == expected?.element else {
        return "at \(now) expected \(expected?.element as Int?), took \(taken?.element as Int?)"
      }
      guard let expected else { break }
      expired += 1
      if random.chance(profile.lingering) { linger(expected) } else { queue.remove(expected.index) }
    }
    model[timeline]?.removeFirst(expired)
    poppedCount += expired
    return nil
  }

  private mutating func drain() -> String? {
    for timeline in Self.clocks {
      if let mismatch = popExpired(on: timeline, at: .never) { return mismatch }
    }
    return nil
  }

  private mutating func startAnew() -> String? {
    let entries = Self.lists.flatMap { model[$0] ?? [] }
    for entry in entries { queue.file(entry.index, nil) }
    for timeline in Self.clocks {
      guard queue.nextWakeup(on: timeline) == .never, queue.popAll(on: timeline, at: .never).isEmpty else {
        return "deadlines were left"
      }
      // The zero of a clock, before it, a machine's uptime, and today in nanoseconds from 1970.
      let starts: [Int64] = [0, -1 << 42, 1_000_000_000_000, 1_790_000_000_000_000_000]
      now[timeline] = Deadline(nanoseconds: starts.randomElement(using: &random) ?? 0)
    }
    if queue.elements().sorted() != entries.map(\.element).sorted() { return "the elements are others" }
    if !queue.invariantsHold() { return "an invariant doesn't hold" }
    model = [:]
    if random.chance(profile.lingering) { entries.forEach { linger($0) } } else { queue = QueueBox() }
    return nil
  }

  private mutating func check(thoroughly: Bool) -> String? {
    let count = count
    let filed = count - (model[nil]?.count ?? 0)
    guard queue.count == count, queue.filedCount == filed else {
      return "counts \(queue.count) elements and \(queue.filedCount) deadlines, not \(count) and \(filed)"
    }
    for timeline in Self.clocks {
      let latest = model[timeline]?.first?.latest ?? .never
      if queue.published(on: timeline) > latest { return "publishes a moment after \(latest)" }
    }
    if thoroughly, let mismatch = mismatchInElements() { return mismatch }
    // Asking changes the wheel, so that the other operations are also met without it.
    guard random.chance(30) else { return nil }
    for timeline in Self.clocks {
      let (wakeup, first) = (queue.nextWakeup(on: timeline), model[timeline]?.first?.latest)
      // Only removal makes a wakeup early.
      if profile.removals > 0, let first, wakeup <= first { continue }
      let latest = first ?? .never
      if wakeup != latest { return "wakes at \(wakeup), not by \(latest)" }
    }
    return nil
  }

  private func mismatchInElements() -> String? {
    if !queue.invariantsHold() { return "an invariant doesn't hold" }
    for timeline in Self.clocks {
      // Elements without a deadline may be about to be filed on either clock.
      let entries = (model[nil] ?? []) + (model[timeline] ?? [])
      let elements = entries.map(\.element).sorted()
      if queue.elements(on: timeline).sorted() != elements { return "doesn't list \(elements)" }
      if entries.contains(where: { queue.element($0.index) != $0.element }) { return "moves an element" }
    }
    return nil
  }
}
