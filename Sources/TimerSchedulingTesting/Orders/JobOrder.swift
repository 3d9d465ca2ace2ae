import TimerScheduling

/// An order of the jobs of a world: a choice wherever several are ready.
///
/// It follows from its number, the seed and the program alone, so an order is repeated by its number:
/// - Order 0 chooses what became ready first.
/// - Numbers below ``firstCounted`` are drawn from the seed, in two ways. Odd ones give each task a priority,
///   and lower that of the running task at up to three random points. So a fault that needs few points in the
///   right order is found with a known probability: Burckhardt et al., "A randomized scheduler with
///   probabilistic guarantees of finding bugs", ASPLOS 2010. Even ones choose at random.
/// - The others spell their choices as digits, the first choice as the lowest digit. So each order has such a
///   number.
struct JobOrder: Sendable {
  static let firstCounted = 1 << 32
  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A point at which there was a choice.
  struct Choice: Sendable, Hashable {
    /// The tasks, numbered in the order in which they came up. Zero for a job that belongs to no task.
    let tasks: [Int]
    let index: Int
  }

  let number: Int
  /// Whether it was the ordinary order at a moment at which several events were due, which others may bring
  /// in any order.
  var isIncomplete = false
  /// The choices made so far.
  private(set) var choices: [Choice] = []
  private var numbers: [UInt64: Int] = [:]
  /// The state of the random numbers, which are SplitMix64's.
  private var random: UInt64
  private var priorities: [Int: UInt64] = [:]
  /// The numbers of the choices before which a priority is lowered.
  private var changePoints: [Int] = []
  private var lowest = UInt64(1) << 32
  private var digits: Int

  init(_ number: Int, seed: UInt64) {
    self.number = number
    digits = max(number - Self.firstCounted, 0)
    random = seed &* Self.increment &+ UInt64(number)
    guard number % 2 == 1 else { return }
    // The number of choices to come isn't known.
    let length = 4 << Int(nextRandom() % 8)
    for _ in 0..<nextRandom() % 4 { changePoints.append(Int(nextRandom() % UInt64(length))) }
  }

  private mutating func nextRandom() -> UInt64 {
    random &+= Self.increment
    return random.mixed
  }

  /// Chooses one of several tasks whose jobs are ready. Zero stands for no task.
  mutating func choose(among tasks: [UInt64]) -> Int {
    choose(
      among: tasks.map { task in
        if task == 0 { return 0 }
        let number = numbers[task] ?? numbers.count + 1
        numbers[task] = number
        return number
      })
  }

  mutating func choose(among tasks: [Int]) -> Int {
    let index = decide(tasks)
    choices.append(Choice(tasks: tasks, index: index))
    return index
  }

  private mutating func decide(_ tasks: [Int]) -> Int {
    if number == 0 { return 0 }
    if number >= Self.firstCounted {
      defer { digits /= tasks.count }
      return digits % tasks.count
    }
    if number % 2 == 0 { return Int(nextRandom() % UInt64(tasks.count)) }
    if changePoints.contains(choices.count), let last = choices.last {
      lowest -= 1
      priorities[last.tasks[last.index]] = lowest
    }
    let priorities = tasks.map { priority(of: $0) }
    return tasks.indices.max { priorities[$0] < priorities[$1] } ?? 0
  }

  private mutating func priority(of task: Int) -> UInt64 {
    if task != 0, let priority = priorities[task] { return priority }
    let priority = nextRandom() | UInt64(1) << 63
    if task != 0 { priorities[task] = priority }
    return priority
  }
}
