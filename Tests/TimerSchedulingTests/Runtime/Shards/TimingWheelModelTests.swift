import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G3")) struct TimingWheelModelTests {
  @Test(arguments: WheelProfile.all, SeededGenerator.seeds(1, 20_260_101, 0xFEED))
  func `Random operations give what a sorted array gives`(profile: WheelProfile, seed: UInt64) {
    print("TimingWheelModel: \(profile), TIMER_SEED=\(seed)")
    var run = WheelRun(profile: profile, seed: seed)
    let mismatch = run.perform(operations: rounds(100_000))

    #expect(mismatch == nil, "\(profile): replay with TIMER_SEED=\(seed)")
    // A run proves little unless entries came out in both ways and many were in the wheel at once.
    #expect(run.poppedCount > rounds(5_000))
    #expect(run.removedCount >= profile.removals * rounds(400) / 2)
    #expect(run.greatestCount > profile.crowd / 4)
  }
}

/// The operations of a run, with their frequencies.
struct WheelProfile: Sendable, CustomStringConvertible {
  var description: String
  /// Percentages of the operations; the others advance the time.
  var insertions = 50
  var removals = 12
  var reschedules = 12
  /// Percentage of the advances that set the time back.
  var setbacks = 0
  /// The bits of the distance from now to a new deadline.
  var reach = 0...40
  /// The bits of a tolerance, and the percentage of entries that have one.
  var tolerance = 0...30
  var tolerant = 0
  /// The bits of a step in time.
  var step = 0...32
  /// About how many entries live at once.
  var crowd = 500

  static let all = [
    WheelProfile(description: "exact"),
    WheelProfile(description: "tolerant", tolerant: 70),
    WheelProfile(description: "without removal", removals: 0, reschedules: 0, tolerant: 30),
    WheelProfile(
      description: "far and wide, without removal", removals: 0, reschedules: 0, reach: 0...62,
      tolerance: 0...62, tolerant: 10, step: 0...55),
    WheelProfile(description: "far and wide", reach: 0...62, tolerance: 0...62, tolerant: 10, step: 0...55),
    WheelProfile(
      description: "one slot", insertions: 80, removals: 5, reschedules: 5, reach: 0...20, tolerance: 0...14,
      tolerant: 30, step: 0...10, crowd: 5_000),
    WheelProfile(description: "mostly removed", removals: 30, reschedules: 15, reach: 10...34, crowd: 1_000),
    WheelProfile(description: "time goes back", setbacks: 25, tolerant: 30),
  ]
}

/// A wheel and its model, with the operations on both.
private struct WheelRun {
  private struct Entry {
    var latest: Deadline
    var deadline: Deadline
    /// Counts up, so it orders equals by insertion.
    var number: Int
    var handle: QueueBox<Int>.Handle
  }

  let profile: WheelProfile
  private var random: SeededGenerator
  private var wheel = QueueBox<Int>()
  /// Sorted by latest moment, then by number.
  private var model: [Entry] = []
  private var now = Deadline(nanoseconds: 0)
  private var lastDeadline = Deadline(nanoseconds: 0)
  /// The number of entries rises and falls in turns.
  private var isGrowing = true
  private var insertedCount = 0
  private(set) var poppedCount = 0
  private(set) var removedCount = 0
  private(set) var greatestCount = 0

  init(profile: WheelProfile, seed: UInt64) {
    self.profile = profile
    random = SeededGenerator(seed: seed)
  }

  /// Returns the first difference.
  mutating func perform(operations: Int) -> String? {
    for operation in 0..<operations {
      if let mismatch = performOne() ?? check(thoroughly: operation % 1_000 == 0) {
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
    default: if model.count >= profile.crowd { isGrowing = false }
    }
    let lot = Int.random(in: 0..<100, using: &random)
    if lot < profile.insertions || isGrowing && random.chance(80) {
      insert()
      return nil
    }
    if lot < profile.insertions + profile.removals { return remove() }
    if lot < profile.insertions + profile.removals + profile.reschedules {
      let mismatch = remove()
      insert()
      return mismatch
    }
    return advance()
  }

  private mutating func insert() {
    let deadline = someDeadline()
    var latest = deadline
    if random.chance(profile.tolerant) {
      latest = deadline + Interval(nanoseconds: random.magnitude(bits: profile.tolerance))
    }
    let filing = Filing(timeline: .monotonic, deadline: deadline, latest: latest)
    let handle = wheel.insert(insertedCount, filing)
    let entry = Entry(latest: latest, deadline: deadline, number: insertedCount, handle: handle)
    model.insert(entry, at: positionAfter(latest))
    insertedCount += 1
    lastDeadline = deadline
    greatestCount = max(greatestCount, model.count)
  }

  private mutating func someDeadline() -> Deadline {
    let distance = Interval(nanoseconds: random.magnitude(bits: profile.reach))
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10:
      return lastDeadline
    case 10..<20:
      return now - distance
    case 20..<30:
      // A border between slots of some level, or beside it.
      let slotBits = Int64(20 + 6 * Int.random(in: 0..<8, using: &random))
      let border = Deadline(nanoseconds: ((now + distance).nanoseconds >> slotBits) << slotBits)
      return border + Interval(nanoseconds: .random(in: -1...1, using: &random))
    case 30:
      return [.never, .never - Interval(nanoseconds: 1), now + .max, Deadline(nanoseconds: .min)]
        .randomElement(using: &random) ?? .never
    default:
      return now + distance
    }
  }

  private mutating func remove() -> String? {
    guard !model.isEmpty else { return nil }
    let entry = model.remove(at: Int.random(in: 0..<model.count, using: &random))
    removedCount += 1
    let removed = wheel.remove(entry.handle)
    return removed == entry.number ? nil : "removing \(entry.number) removed \(removed)"
  }

  private mutating func removeMost() -> String? {
    let few = Int.random(in: 0..<10, using: &random)
    while model.count > few {
      if let mismatch = remove() { return mismatch }
    }
    return nil
  }

  private mutating func advance() -> String? {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<profile.setbacks:
      now = now - Interval(nanoseconds: random.magnitude(bits: profile.step))
    case ..<50:
      now = now + Interval(nanoseconds: random.magnitude(bits: profile.step))
    case ..<60:
      now = now + Interval(nanoseconds: .random(in: 0...3, using: &random))
    case ..<70:
      break
    default:
      // Moves to the wakeup, as the scheduler does, but not to one that never comes.
      guard let wakeup = wheel.nextWakeup(), wakeup - now < Interval(nanoseconds: 1 << 55) else { break }
      now = profile.setbacks > 0 ? wakeup : max(now, wakeup)
    }
    return popExpired()
  }

  private mutating func popExpired() -> String? {
    var expired = 0
    while true {
      let expected = expired < model.count && model[expired].deadline <= now ? model[expired].number : nil
      let popped = wheel.popExpired(at: now)
      guard popped == expected else {
        return "at \(now) expected \(expected as Int?), popped \(popped as Int?)"
      }
      guard popped != nil else { break }
      expired += 1
    }
    model.removeFirst(expired)
    poppedCount += expired
    return nil
  }

  private mutating func drain() -> String? {
    let present = now
    now = .never
    let mismatch = popExpired()
    now = present
    return mismatch ?? (model.isEmpty && wheel.isEmpty ? nil : "something never popped")
  }

  private mutating func startAnew() -> String? {
    let elements = wheel.unfileAll().sorted()
    guard wheel.nextWakeup() == nil, wheel.popExpired(at: .never) == nil, wheel.invariantsHold() else {
      return "deadlines were left"
    }
    wheel = QueueBox()
    guard elements == model.map(\.number).sorted() else { return "emptying returned something else" }
    model = []
    // The zero of a clock, before it, a machine's uptime, and today in nanoseconds from 1970.
    let starts: [Int64] = [0, -1 << 42, 1_000_000_000_000, 1_790_000_000_000_000_000]
    now = Deadline(nanoseconds: starts.randomElement(using: &random) ?? 0)
    return nil
  }

  private func positionAfter(_ latest: Deadline) -> Int {
    var range = model.startIndex..<model.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = latest < model[middle].latest ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }

  private mutating func check(thoroughly: Bool) -> String? {
    guard wheel.count == model.count, wheel.isEmpty == model.isEmpty else {
      return "counts \(wheel.count), not \(model.count)"
    }
    if thoroughly, !wheel.invariantsHold() { return "an invariant doesn't hold" }
    // Asking changes the wheel, so that the other operations are also met without it.
    guard random.chance(30) else { return nil }
    let wakeup = wheel.nextWakeup()
    let latest = model.first?.latest
    // Only removal makes a wakeup early.
    let isExact = profile.removals == 0
    if !isExact, let wakeup, let latest, wakeup <= latest { return nil }
    return wakeup == latest ? nil : "wakes at \(wakeup as Deadline?), not by \(latest as Deadline?)"
  }
}
