import TestSupport
import Testing
import TimerScheduling

@Suite struct TickLedgerModelTests {
  @Test(
    arguments: [(.skip, .max), (.skip, 1_000), (.delay, .max), (.burst, .max), (.burst, 1_000)]
      as [(MissedTickBehavior, Int64)],
    SeededGenerator.seeds(1, 2))
  func `Random listening agrees with a list of deadlines for each listener`(
    profile: (MissedTickBehavior, Int64), seed: UInt64
  ) throws {
    let (behavior, limit) = profile
    var random = SeededGenerator(seed: seed)
    let desk = LedgerDesk(behavior, limit: limit)
    var model = NaiveLedger(behavior, limit: Int(clamping: limit))
    // The answers to each listener, counted from the ledger's answers alone.
    var accounts = [Account()]
    var listeners = [0]
    var takenCount = 0
    for step in 0..<10_000 {
      let about: Comment = "\(behavior), limit \(limit), TIMER_SEED=\(seed), step \(step)"
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<25:
        let count = random.chance(10) ? Int.random(in: 2...20, using: &random) : 1
        if random.chance(50) { desk.pass(Int64(count)) } else { desk.fire(Int64(count), late: 0.5) }
        for _ in 0..<count { model.pass() }
        for listener in listeners { accounts[listener].passed += count }
      case 25..<28 where listeners.count < 5:
        listeners.append(desk.join())
        model.join()
        accounts.append(Account())
      case 28..<30:
        if let listener = listeners.randomElement(using: &random) {
          desk.leave(listener)
          model.leave(listener)
          listeners.removeAll { $0 == listener }
        }
      case 30:
        for listener in listeners { accounts[listener].withdrawn += model.owed(listener).count }
        desk.ledger.withdraw()
        model.withdraw()
      default:
        guard let listener = listeners.randomElement(using: &random) else { continue }
        let isOwed = desk.owes(listener)
        let tick = desk.take(listener)
        try #require(isOwed == (tick != nil), about)
        let expected = model.take(listener)
        try #require(tick?.due == expected?.due, about)
        try #require(tick?.index == expected?.index, about)
        try #require(tick?.missed == expected?.missed, about)
        guard let tick else { continue }
        try #require(tick.index < limit && tick.index > accounts[listener].lastIndex, about)
        accounts[listener].note(tick)
        takenCount += 1
      }
      try #require(desk.ledger.takenCount == model.takenCount, about)
      try #require(desk.ledger.totalMissedCount == model.totalMissedCount, about)
      for listener in listeners {
        try #require(accounts[listener].unaccounted == model.owed(listener).count, about)
      }
    }
    #expect(takenCount > (limit == .max ? 2_500 : 1_000))
    if limit < .max { #expect(desk.ledger.takenCount == limit) }
  }

  /// The answers that a listener got.
  private struct Account {
    var passed = 0
    var withdrawn = 0
    var delivered = 0
    var missed = 0
    var lastIndex = -1

    var unaccounted: Int { passed - withdrawn - delivered - missed }

    mutating func note(_ tick: TimerTick.Row) {
      delivered += 1
      missed += tick.missed
      lastIndex = tick.index
    }
  }
}

/// Keeps for each listener the list of deadlines it is owed.
///
/// By definition, in a burst each deadline is numbered as it passes, as there will be a tick for it; numbers
/// given to ticks that no listener has taken are given anew when those are withdrawn, or when all listeners that
/// were owed them have left. Otherwise a deadline is numbered when its tick is first taken.
private struct NaiveLedger {
  private let behavior: MissedTickBehavior
  private let limit: Int
  private var owedLists: [[Int]] = [[]]
  private var present: Set<Int> = [0]
  private var passed = 0
  /// The indexes of deadlines that have one.
  private var indexes: [Int: Int] = [:]
  /// In a burst, the index of the deadline that passes next.
  private var nextIndex = 0
  private var newestTaken = 0
  private(set) var takenCount = 0
  /// The newest deadline that no longer counts: taken, withdrawn or left behind.
  private var closed = 0

  init(_ behavior: MissedTickBehavior, limit: Int) {
    self.behavior = behavior
    self.limit = limit
  }

  func owed(_ listener: Int) -> [Int] { owedLists[listener] }
  var missedCount: Int { max(passed - closed - 1, 0) }
  /// The deadlines without a tick among those up to the newest that was taken or left behind.
  var totalMissedCount: Int { max(newestTaken - takenCount, 0) }

  mutating func pass() {
    passed += 1
    if behavior == .burst {
      indexes[passed] = nextIndex
      nextIndex += 1
    }
    for listener in present { owedLists[listener].append(passed) }
  }

  mutating func join() {
    if present.isEmpty {
      newestTaken = passed
      closed = passed
      nextIndex = takenCount
    }
    present.insert(owedLists.count)
    owedLists.append([])
  }

  mutating func leave(_ listener: Int) {
    present.remove(listener)
    // Listeners that haven't taken a tick yet, or their successors when all have left, keep the ticks they are owed.
    guard let next = present.map({ owedLists[$0].first ?? passed + 1 }).min() else { return }
    newestTaken = max(newestTaken, next - 1)
    closed = max(closed, next - 1)
    guard behavior == .burst else { return }
    nextIndex = takenCount
    for deadline in (closed + 1)..<(passed + 1) {
      indexes[deadline] = nextIndex
      nextIndex += 1
    }
  }

  mutating func withdraw() {
    for listener in present { owedLists[listener] = [] }
    closed = passed
    nextIndex = takenCount
  }

  mutating func take(_ listener: Int) -> (due: Double, index: Int, missed: Int)? {
    let list = owedLists[listener]
    guard let deadline = behavior == .burst ? list.first : list.last else { return nil }
    let index = indexes[deadline] ?? takenCount
    guard index < limit else { return nil }
    indexes[deadline] = index
    if deadline > newestTaken {
      newestTaken = deadline
      closed = max(closed, deadline)
      takenCount = index + 1
    }
    owedLists[listener] = behavior == .burst ? Array(list.dropFirst()) : []
    return (Double(deadline), index, behavior == .burst ? 0 : list.count - 1)
  }
}
