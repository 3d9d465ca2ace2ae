import TestSupport

/// A random program for a body of `withVirtualClock`. The same seed gives the same program.
struct ProgramScenario: Sendable {
  let seed: UInt64
  var program: [ProgramStep]

  init(seed: UInt64) {
    self.seed = seed
    var generator = ProgramGenerator(seed: seed)
    program = generator.program(depth: 3, length: 3...7)
  }
}

extension ProgramScenario: CustomStringConvertible {
  var description: String { "TIMER_SEED=\(seed)\n\(ProgramStep.describe(program))" }
}

private struct ProgramGenerator {
  private var random: SeededGenerator
  private var lastNumber = 0
  /// The typical duration, from a microsecond to an hour.
  private let unit: Int64
  /// Whether durations are round, so that many things happen at one moment. Nothing is cancelled then, as it
  /// would matter what comes first at a moment.
  private let isRound: Bool
  private let usesMainActor: Bool

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isRound = random.chance(40)
    // Other tests keep the main actor busy.
    usesMainActor = random.chance(5)
    unit = random.choose([
      (1, 1_000), (2, 1_000_000), (2, 10_000_000), (4, 1_000_000_000), (2, 60_000_000_000),
      (1, 3_600_000_000_000),
    ])
  }

  mutating func program(depth: Int, length: ClosedRange<Int>) -> [ProgramStep] {
    var (steps, tasks) = ([ProgramStep](), [Int]())
    for _ in 0..<Int.random(in: length, using: &random) { steps += step(depth, &tasks) }
    return steps + [.note(number())]
  }

  private mutating func step(_ depth: Int, _ tasks: inout [Int]) -> [ProgramStep] {
    if depth == 0 || random.chance(45) { return [simple(tasks)] }
    let inner = { (generator: inout Self) in generator.program(depth: depth - 1, length: 1...3) }
    let count = Int.random(in: 1...4, using: &random)
    switch Int.random(in: 0..<(isRound ? 9 : 10), using: &random) {
    case 0, 1:
      let task = number()
      tasks.append(task)
      return [.start(task, TaskForm.allCases.randomElement(using: &random) ?? .task, inner(&self))]
    case 2: return [.group((0..<count).map { _ in inner(&self) })]
    case 3: return [.child(inner(&self), meanwhile: inner(&self))]
    case 4: return [.onActor(Int.random(in: usesMainActor ? 0...2 : 1...2, using: &random), inner(&self))]
    case 5: return [.timer(every: duration(), limit: count, inner(&self))]
    case 6: return [.loop(every: duration(), count: count, inner(&self))]
    case 7:
      // What waits for something else than time would take values after its cancellation.
      let steps = [simple([]), simple([]), .note(number())]
      return [.stream(byTimer: random.chance(50), every: duration(), count: count, steps)]
    case 8: return [.measured(inner(&self))]
    // Which comes first isn't promised for a limit and a sleep that end at one moment.
    default: return [.limited(duration() | 1, inner(&self))]
    }
  }

  private mutating func simple(_ tasks: [Int]) -> ProgramStep {
    let task = tasks.randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4: return .sleep(SleepForm.allCases.randomElement(using: &random) ?? .task, duration())
    case 4, 5: return .sleepUntilNext(duration())
    case 6: return .yield(Int.random(in: 1...5, using: &random))
    case 7: return .compute(Int.random(in: 1...50, using: &random))
    case 8: return task.map { .wait(task: $0) } ?? .note(number())
    case 9: return isRound ? .note(number()) : task.map { .cancel(task: $0) } ?? .note(number())
    default: return .note(number())
    }
  }

  private mutating func duration() -> Int64 {
    let whole = Int64.random(in: 1...12, using: &random) * unit
    return isRound ? whole : (whole + Int64.random(in: 1..<unit, using: &random)) & ~1
  }

  private mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }
}
