import TimerScheduling

/// An order of the jobs of a world: a choice wherever several are ready.
///
/// It follows from its number, the seed and the program alone, so an order is repeated by its number:
/// - Order 0 is the usual one: a task goes on until it waits, and then the work that became ready first.
/// - Numbers from ``firstSpelled`` on spell the choices that differ from the usual ones: the *preemptions*.
/// - The others are drawn from the seed, in two ways. Odd numbers give each task a priority, and lower that
///   of the running task at three random points: Burckhardt et al., "A randomized scheduler with
///   probabilistic guarantees of finding bugs", ASPLOS 2010. Even ones give each job a priority when it
///   becomes ready. A task that yields goes after the others in both.
struct JobOrder: Sendable {
  static let firstSpelled = 1 << 32

  /// A choice that differs from the usual one.
  struct Preemption: Sendable, Hashable {
    /// The number of the choice.
    let position: Int
    /// Which of the others is chosen, counted from 1.
    let alternative: Int
  }

  /// A point at which there was a choice.
  struct Choice: Sendable, Hashable {
    let count: Int
    let usual: Int
    let index: Int
    /// The task that was chosen, numbered in the order in which they came up. Zero for a job that belongs to
    /// no task.
    let task: Int

    var alternative: Int { index < usual ? index + 1 : index }
  }

  private enum Plan {
    /// The preemptions, the last first.
    case preemptions([Preemption])
    case jobPriorities
    /// The numbers of the choices before which the priority of the running task is lowered.
    case taskPriorities(changes: Set<Int>)
  }

  private(set) var number: Int
  private var plan: Plan
  /// The choices made so far.
  private(set) var choices: [Choice] = []
  /// Whether all that the tasks did was seen and ordered.
  var isWhole = Runtime.seesBirths && Runtime.seesWaits && Runtime.seesTurns
  /// The steps of the order. Nil if they aren't wanted.
  var timeline: OrderTimeline?
  private var numbers: [UInt64: Int] = [:]
  /// The state of the random numbers, which are SplitMix64's.
  private var random: UInt64
  private var priorities: [Int: UInt64] = [:]
  private var lowest = UInt64(1) << 32

  /// Makes the order with a number. `length` is the number of choices of order 0.
  init(_ number: Int, seed: UInt64, length: Int = 0) {
    self.number = number
    random = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number)
    plan = .jobPriorities
    if number == 0 {
      plan = .preemptions([])
    } else if number >= Self.firstSpelled {
      plan = .preemptions(Self.preemptions(spelledBy: number).reversed())
    } else if number % 2 == 1 {
      plan = .taskPriorities(changes: Set((0..<3).map { _ in Int(nextRandom() % UInt64(max(length, 1))) }))
    }
  }

  /// Makes an order with preemptions. Its number is that of another order if they can't be spelled.
  init(_ preemptions: [Preemption], number: Int) {
    self.number = Self.number(spelling: preemptions) ?? number
    plan = .preemptions(preemptions.reversed())
    random = 0
  }

  /// The order with the number that spells its preemptions. Nil if they can't be spelled.
  var renumbered: JobOrder? {
    guard let number = Self.number(spelling: preemptions) else { return nil }
    var order = self
    order.number = number
    return order
  }

  /// The choices made that differ from the usual ones.
  var preemptions: [Preemption] {
    choices.indices.compactMap { position in
      let choice = choices[position]
      return choice.index == choice.usual
        ? nil : Preemption(position: position, alternative: choice.alternative)
    }
  }

  private mutating func nextRandom() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    return random.mixed
  }

  // MARK: Choosing

  /// Notes that work becomes ready.
  mutating func prepare(_ work: inout ReadyWork) {
    switch plan {
    case .preemptions: break
    case .jobPriorities: work.priority = work.isYield ? nextRandom() >> 1 : nextRandom() | 1 << 63
    case .taskPriorities:
      guard work.isYield, let task = work.member?.task.number else { break }
      lowest -= 1
      priorities[number(of: task)] = lowest
    }
  }

  /// Chooses one of several works. `last` has run before.
  mutating func choose(usual: Int, of count: Int, after last: Member?, _ work: (Int) -> ReadyWork?) -> Int {
    let index = decide(usual, count, last, work)
    choices.append(
      Choice(
        count: count, usual: usual, index: index, task: number(of: work(index)?.member?.task.number ?? 0)))
    if index != usual, let last, work(usual)?.member === last { timeline?.interrupted = last }
    return index
  }

  private mutating func decide(
    _ usual: Int, _ count: Int, _ last: Member?, _ work: (Int) -> ReadyWork?
  ) -> Int {
    switch plan {
    case .preemptions(var left):
      guard let next = left.last, next.position == choices.count else { return usual }
      left.removeLast()
      plan = .preemptions(left)
      let index = next.alternative <= usual ? next.alternative - 1 : next.alternative
      return index < count ? index : usual
    case .jobPriorities:
      return (0..<count).max { (work($0)?.priority ?? 0) < (work($1)?.priority ?? 0) } ?? usual
    case .taskPriorities(let changes):
      if changes.contains(choices.count), let task = last?.task.number {
        lowest -= 1
        priorities[number(of: task)] = lowest
      }
      let priorities = (0..<count).map { priority(of: work($0)?.member?.task.number ?? 0) }
      return (0..<count).max { priorities[$0] < priorities[$1] } ?? usual
    }
  }

  private mutating func number(of task: UInt64) -> Int {
    if task == 0 { return 0 }
    let number = numbers[task] ?? numbers.count + 1
    numbers[task] = number
    return number
  }

  private mutating func priority(of task: UInt64) -> UInt64 {
    let number = number(of: task)
    if number != 0, let priority = priorities[number] { return priority }
    let priority = nextRandom() | UInt64(1) << 63
    if number != 0 { priorities[number] = priority }
    return priority
  }

  // MARK: Numbers

  /// Returns the number that spells preemptions. Nil if it would be too large.
  ///
  /// After a leading 1, its binary digits are those of the distance of each preemption from the one before,
  /// and of the alternative, in Elias gamma code.
  static func number(spelling preemptions: [Preemption]) -> Int? {
    var (number, next) = (1, 0)
    for preemption in preemptions {
      for value in [preemption.position - next + 1, preemption.alternative] {
        let width = Int.bitWidth - value.leadingZeroBitCount
        guard number.leadingZeroBitCount > 2 * width else { return nil }
        number = number << (2 * width - 1) | value
      }
      next = preemption.position + 1
    }
    let (sum, isTooLarge) = number.addingReportingOverflow(firstSpelled - 1)
    return isTooLarge ? nil : preemptions.isEmpty ? 0 : sum
  }

  private static func preemptions(spelledBy number: Int) -> [Preemption] {
    var digits = String(number - firstSpelled + 1, radix: 2).dropFirst()[...]
    var (values, preemptions, next) = ([Int](), [Preemption](), 0)
    while let width = digits.firstIndex(of: "1").map({ digits.distance(from: digits.startIndex, to: $0) + 1 }
    ),
      digits.count >= 2 * width - 1, let value = Int(digits.prefix(2 * width - 1), radix: 2)
    {
      digits = digits.dropFirst(2 * width - 1)
      values.append(value)
    }
    for index in stride(from: 1, to: values.count, by: 2) {
      preemptions.append(Preemption(position: next + values[index - 1] - 1, alternative: values[index]))
      next += values[index - 1]
    }
    return preemptions
  }
}
