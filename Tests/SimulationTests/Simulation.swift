/// Runs scenarios twice, on the reference and on the scheduler, and compares the observable results.
enum Simulation {
  /// The first difference between the two.
  struct Divergence {
    var scenario: Scenario
    var difference: String
  }

  /// The first difference in a scenario, with the operations that lead to it.
  static func divergence(in scenario: Scenario) async -> Divergence? {
    var reference = Reference()
    let run = Run(scenario)
    for (step, operation) in scenario.operations.enumerated() {
      reference.apply(operation)
      await run.apply(operation)
      let (actual, expected) = (run.outcome, reference.outcome)
      let contradictions = await run.contradictions()
      if actual == expected, contradictions.isEmpty { continue }
      await run.finish()
      var scenario = scenario
      scenario.operations.removeSubrange((step + 1)...)
      let difference =
        actual == expected ? contradictions.joined(separator: "\n") : actual.difference(from: expected)
      return Divergence(scenario: scenario, difference: difference)
    }
    await run.finish()
    return nil
  }

  /// The same difference without the operations that don't contribute to it.
  static func shortened(_ divergence: Divergence) async -> Divergence {
    var divergence = divergence
    for step in divergence.scenario.operations.indices.reversed() {
      // Leaving out an operation may have shortened the scenario by more than that operation.
      guard step < divergence.scenario.operations.count else { continue }
      var scenario = divergence.scenario
      scenario.operations.remove(at: step)
      if let other = await Self.divergence(in: scenario) { divergence = other }
    }
    return divergence
  }
}

extension Simulation.Divergence: CustomStringConvertible {
  var description: String {
    "TIMER_SEED=\(scenario.seed)\n\(scenario)\nThere:\n\(difference)"
  }
}
