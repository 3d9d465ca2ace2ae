/// Which orders a search runs, and what they have shown.
///
/// Order 0 comes first. Then come the orders with one preemption, with two and so on, each once: Musuvathi and Qadeer,
/// "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007. From half of the orders on,
/// if more are left than may be run, they are drawn at random.
struct OrderSearch {
  /// An order that differs from one that was run by a further preemption.
  private struct Candidate {
    let preemptions: [JobOrder.Preemption]
    /// The choices up to that preemption, and what there was to choose.
    let choices: ArraySlice<JobOrder.Choice>
    let count: Int
  }

  private let orders: Range<Int>
  private let seed: UInt64
  /// The orders to be run, those with the fewest preemptions first.
  private var candidates: [Candidate] = []
  private var head = 0
  private var current: Candidate?
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

  private var leftCount: Int { candidates.count - head }

  /// Returns the next order to be run. Nil if there is none, or as many were run as were asked for.
  mutating func next() -> JobOrder? {
    current = nil
    guard orderCount < orders.count else { return nil }
    if length == nil, orders.lowerBound < JobOrder.firstSpelled { return JobOrder(0, seed: seed) }
    let isSystematic =
      isRepeated
      || orders.lowerBound == 0
        && (orderCount < orders.count / 2 || leftCount <= orders.count - orderCount)
    isRepeated = false
    if isSystematic || number >= orders.upperBound {
      guard head < candidates.count else { return nil }
      let candidate = candidates[head]
      head += 1
      current = candidate
      return JobOrder(candidate.preemptions, number: 0)
    }
    defer { number += 1 }
    return JobOrder(number, seed: seed, length: length ?? 0)
  }

  /// Adds an order that was run. Returns false if the program has come to other choices than before.
  mutating func add(_ order: JobOrder) -> Bool {
    let choices = order.choices
    if let current {
      let position = current.choices.endIndex
      guard choices.count > position, choices[position].count == current.count,
        choices[..<position] == current.choices
      else { return false }
    }
    isWhole = isWhole && order.isWhole
    let isFirst = length == nil
    if isFirst { length = choices.count }
    let isNew = known.insert(choices.map(\.index)).inserted
    if isNew, !isFirst || orders.lowerBound == 0 || order.number >= JobOrder.firstSpelled { orderCount += 1 }
    isRepeated = !isNew
    guard isFirst && order.number == 0 || current != nil else { return true }
    let preemptions = order.preemptions
    mostPreemptions = max(mostPreemptions, preemptions.count)
    for position in (preemptions.last.map { $0.position + 1 } ?? 0)..<choices.count {
      let count = choices[position].count
      for alternative in 1..<count {
        let preemptions = preemptions + [JobOrder.Preemption(position: position, alternative: alternative)]
        // Without a number, it couldn't be repeated.
        guard JobOrder.number(spelling: preemptions) != nil else {
          isWhole = false
          continue
        }
        candidates.append(Candidate(preemptions: preemptions, choices: choices[..<position], count: count))
      }
    }
    return true
  }

  /// Whether a failure of an order counts. Order 0 is run in any case, as others are drawn by its length.
  func isWanted(_ order: JobOrder) -> Bool { order.number != 0 || orders.lowerBound == 0 }

  var coverage: OrderCoverage {
    let isOver = length != nil && orders.lowerBound < JobOrder.firstSpelled && leftCount == 0
    return OrderCoverage(
      orderCount: orderCount, isComplete: isOver && isWhole,
      preemptionBound: isOver
        ? mostPreemptions : head < candidates.count ? candidates[head].preemptions.count - 1 : -1)
  }
}

/// What a search of orders has shown.
public struct OrderCoverage: Sendable, Hashable, CustomStringConvertible {
  /// The number of different orders that were run.
  public var orderCount: Int
  /// Whether these are all orders of the body.
  ///
  /// It is false if a part of the body's course isn't chosen by the search: tasks on executors of the process's own, or
  /// made outside of the body.
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
