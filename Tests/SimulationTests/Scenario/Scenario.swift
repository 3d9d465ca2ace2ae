/// What happens in one run of the simulation. The same seed brings the same scenario.
struct Scenario: Sendable {
  let seed: UInt64
  var operations: [Operation]
  /// How often the scheduler looks for owners that are gone, which is never too late.
  let ownerCheckInterval: Int64

  init(seed: UInt64) {
    self.seed = seed
    var generator = ScenarioGenerator(seed: seed)
    ownerCheckInterval = 5 * generator.unit
    operations = generator.generate()
  }
}

extension Scenario: CustomStringConvertible {
  var description: String {
    operations.enumerated().map { "  \($0): \($1)" }.joined(separator: "\n")
  }
}

/// SplitMix64, as in the other tests: the same numbers on every machine and in every release.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True with the given probability in percent.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// One of the choices, each as often as its weight says.
  mutating func choose<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
    var rest = Int.random(in: 0..<choices.reduce(0) { $0 + $1.weight }, using: &self)
    let position = choices.firstIndex { choice in
      rest -= choice.weight
      return rest < 0
    }
    return choices[position ?? 0].choice
  }
}
