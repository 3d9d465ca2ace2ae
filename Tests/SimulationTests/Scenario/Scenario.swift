/// The operations of one run of the simulation. The same seed gives the same scenario.
struct Scenario: Sendable {
  let seed: UInt64
  var operations: [Operation]
  /// The interval at which the scheduler checks for owners that are gone, which is never too late.
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
