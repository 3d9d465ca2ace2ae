import TestSupport
import Testing

/// Random programs in virtual time, compared with a list of events.
///
///     TIMER_SEED=123 swift test --filter VirtualTimeSimulationTests
///     TIMER_SCENARIOS=100000 swift test --filter VirtualTimeSimulationTests
@Suite(.limited, .guarantee("G150", "G201", "G202", "G203")) struct VirtualTimeSimulationTests {
  @Test(arguments: SimulationTests.Batch.all)
  func `Each step of a program happens at its time`(batch: SimulationTests.Batch) async {
    print("Programs: \(batch.testDescription)")
    for seed in batch.first..<batch.first + batch.count {
      var scenario = ProgramScenario(seed: seed)
      guard var difference = await difference(in: scenario.program) else { continue }
      (scenario.program, difference) = await shortened(scenario.program, difference)
      Issue.record("\(scenario)\n\(difference)")
      return
    }
  }

  /// The first difference between what a program does and what it must do.
  private func difference(in program: [ProgramStep]) async -> String? {
    let (reference, outcome) = (ProgramReference(), await ProgramRun.run(program))
    let end = reference.run(program)
    var lines = outcome.faults
    if outcome.end != end { lines.append("ends at \(outcome.end.inSeconds), expected \(end.inSeconds)") }
    // What happens at the moment of the end may come after it.
    let (expected, actual) = (Counts(reference.notes), Counts(outcome.notes))
    for (note, count) in expected.sorted where note.time < end && actual[note] != count {
      lines.append("note \(note.number) at \(note.time.inSeconds): \(actual[note]) times, expected \(count)")
    }
    for (note, count) in actual.sorted
    where count > expected[note] && (note.time >= end || expected[note] == 0) {
      lines.append(
        "note \(note.number) at \(note.time.inSeconds): \(count) times, expected \(expected[note])")
    }
    return lines.isEmpty ? nil : lines.prefix(10).joined(separator: "\n")
  }

  /// A shorter program that differs, too.
  private func shortened(_ program: [ProgramStep], _ difference: String) async -> ([ProgramStep], String) {
    for shorter in ProgramStep.shortened(program) {
      // A fault that comes by chance gets a few chances.
      for _ in 0..<3 {
        guard let difference = await self.difference(in: shorter) else { continue }
        return await shortened(shorter, difference)
      }
    }
    return (program, difference)
  }
}

/// How often each note comes.
private struct Counts {
  private var counts: [ProgramNote: Int] = [:]

  init(_ notes: [ProgramNote]) { for note in notes { counts[note, default: 0] += 1 } }

  subscript(note: ProgramNote) -> Int { counts[note] ?? 0 }

  /// In the order of time.
  var sorted: [(note: ProgramNote, count: Int)] {
    counts.sorted { ($0.key.time, $0.key.number) < ($1.key.time, $1.key.number) }.map { ($0.key, $0.value) }
  }
}
