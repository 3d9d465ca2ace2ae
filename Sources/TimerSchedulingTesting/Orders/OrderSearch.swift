/// Which orders a search runs, and what they have shown.
///
/// Order 0 comes first. Then come the orders with one preemption, with two and so on, each once: Musuvathi
/// and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007. From
/// half of the orders on, if more are left than may be run, they are drawn at random.
struct OrderSearch {
  /// An order that was run. Those that differ from it by a further preemption come next.
  private struct Parent {
    let preemptions: [JobOrder.Preemption]
    let choices: [JobOrder.Choice]
    /// The next further preemption.
    var next: JobOrder.Preemption

    init(_ order: JobOrder) {
      preemptions = order.preemptions
      choices = order.choices
      next = JobOrder.Preemption(position: (preemptions.last?.position ?? -1) + 1, alternative: 1)
    }

    /// The number of further preemptions.
    var count: Int { choices[min(next.position, choices.count)...].reduce(0) { $0 + $1.count - 1 } }

    /// Goes on to the next further preemption. Returns the one before. Nil if there is no other.
    mutating func takeNext() -> JobOrder.Preemption? {
      guard next.position < choices.count else { return nil }
      let taken = next
      let isLast = next.alternative + 1 == choices[next.position].count
      next = JobOrder.Preemption(
        position: isLast ? next.position + 1 : next.position, alternative: isLast ? 1 : next.alternative + 1)
      return taken
    }
  }

  private let orders: Range<Int>
  private let seed: UInt64
  /// The orders from which others follow, those with the fewest preemptions first.
  private var parents: [Parent] = []
  private var head = 0
  /// The number of the orders that follow, or more than may be run.
  private var leftCount = 0
  /// The choices that must come again in the order under way, up to that with the further preemption.
  private var expected: ArraySlice<JobOrder.Choice>?
  /// The number of the next order that is drawn.
  private var number: Int
  private var isRepeated = false
  /// The number of choices of order 0. Nil if that hasn't been run.
  private var length: Int?
  private var known: Set<[Int]> = []
  private var isWhole = true
  private(set) var orderCount = 0
  private var mostPreemptions = 0

  init(_ orders: Range<Int>, seed: UInt64) {
    self.orders = orders
    self.seed = seed
    number = max(orders.lowerBound, 1)
  }

  /// Returns the next order to be run. Nil if there is none, or as many were run as were asked for.
  mutating func next() -> JobOrder? {
    expected = nil
    guard orderCount < orders.count else { return nil }
    if length == nil, orders.lowerBound < JobOrder.firstSpelled { return JobOrder(0, seed: seed) }
    let isSystematic =
      isRepeated
      || orders.lowerBound == 0
        && (orderCount < orders.count / 2 || leftCount <= orders.count - orderCount)
    isRepeated = false
    if isSystematic || number >= orders.upperBound { return nextSystematic() }
    defer { number += 1 }
    return JobOrder(number, seed: seed, length: length ?? 0)
  }

  private mutating func nextSystematic() -> JobOrder? {
    while head < parents.count {
      guard let next = parents[head].takeNext() else {
        head += 1
        continue
      }
      leftCount -= 1
      let order = JobOrder(parents[head].preemptions + [next], number: 0)
      // Without a number, it couldn't be repeated.
      guard order.number != 0 else {
        isWhole = false
        continue
      }
      expected = parents[head].choices[...next.position]
      return order
    }
    return nil
  }

  /// Adds an order that was run. Returns false if the program has come to other choices than before.
  mutating func add(_ order: JobOrder) -> Bool {
    let choices = order.choices
    if let expected, let last = expected.last {
      guard choices.count >= expected.count, choices[expected.count - 1].count == last.count,
        choices.prefix(expected.count - 1) == expected.dropLast()
      else { return false }
    }
    isWhole = isWhole && order.isWhole
    let isFirst = length == nil
    if isFirst { length = choices.count }
    let isNew = known.insert(choices.map(\.index)).inserted
    if isNew, !isFirst || orders.lowerBound == 0 || order.number >= JobOrder.firstSpelled { orderCount += 1 }
    isRepeated = !isNew
    guard isFirst && order.number == 0 || expected != nil else { return true }
    let parent = Parent(order)
    mostPreemptions = max(mostPreemptions, parent.preemptions.count)
    if leftCount <= orders.count { parents.append(parent) }
    leftCount += parent.count
    return true
  }

  /// Whether a failure of an order counts. Order 0 is run in any case, as others are drawn by its length.
  func isWanted(_ order: JobOrder) -> Bool { order.number != 0 || orders.lowerBound == 0 }

  var coverage: OrderCoverage {
    // Otherwise a failure of order 0 doesn't count.
    let isOver = orders.lowerBound == 0 && leftCount == 0
    let parent = parents[head...].first { $0.count > 0 }
    return OrderCoverage(
      orderCount: orderCount, isComplete: isOver && isWhole,
      preemptionBound: isOver ? mostPreemptions : parent?.preemptions.count ?? -1)
  }
}

/// The orders that a search has run, and whether they are all.
public struct OrderCoverage: Sendable, Hashable, CustomStringConvertible {
  /// The number of different orders that were run.
  public var orderCount: Int
  /// Whether these are all orders of the body.
  ///
  /// It is false if a task runs on an executor of the process's own, or was made outside of the body. It is
  /// false if one waits for what may come from outside: for a continuation that nothing resumes for a moment
  /// of real time. It is false if one yields two thousand times in a row. The search doesn't choose these
  /// parts of the body's course.
  ///
  /// The kit doesn't see a thread outside write to memory, or resume a task before the task waits. Then the
  /// course is partly chance, although this is true. Nor does the kit see what an order leaves for the next
  /// one, as in a global value, or a job of an `isolated deinit`. Of tasks with different priorities that
  /// wait for an actor, it runs one order.
  public var isComplete: Bool
  /// Every order with up to so many preemptions was run. Minus one if order 0 wasn't run.
  public var preemptionBound: Int

  /// A sentence that says what was shown.
  public var description: String {
    if isComplete, orderCount == 1 {
      return
        "The body has one order: at no moment could one of several tasks go on. So this shows nothing of orders."
    }
    let orders = "\(orderCount) \(orderCount == 1 ? "order was" : "orders were") run"
    if isComplete { return "\(orders): all that the body has." }
    let bound =
      preemptionBound < 0
      ? "" : ", among them each with \(preemptionBound == 0 ? "no" : "up to \(preemptionBound)") preemptions"
    return "\(orders)\(bound)."
  }
}
