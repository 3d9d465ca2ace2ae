import ArgumentParser
import Foundation

/// A measurement of a scheduler under load, compared with an aim instead of with peers.
enum Strain: String, CaseIterable, ExpressibleByArgument {
  case starvation, firing, longest, falling, suspended, resumed, idle, sleeps, limits

  /// Measures in this process.
  func run() throws -> [Finding] {
    switch self {
    case .starvation: try [1, 2, 4].flatMap { try Starvation(threadCount: $0).run() }
    case .firing: try FiringByHand().run()
    case .longest: LongestCall().run()
    case .falling: FallingDeadlines().run()
    case .suspended: try SuspendedRuns().run()
    case .resumed: try ResumedRun().run()
    case .idle: try IdleSchedulers().run()
    case .sleeps: CancelledSleeps().run()
    case .limits: TimeLimits().run()
    }
  }

  /// One figure.
  struct Finding {
    let title: String
    let value: Double
    let unit: String
    /// The aim, or an empty text.
    var aim = ""
  }
}

/// Prints figures under load.
struct MeasureStrain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strain", abstract: "Measures what a scheduler stands, each in a process of its own.")

  @Argument(help: "What to measure, instead of everything.")
  var strains: [Strain] = []

  func run() throws {
    if strains.count == 1 {
      for finding in try strains[0].run() {
        let value = String(format: "%12.2f", finding.value)
        print("\(value) \(finding.unit)  \(finding.title)\(finding.aim.isEmpty ? "" : " (\(finding.aim))")")
      }
      return
    }
    for strain in strains.isEmpty ? Strain.allCases : strains {
      print(try ChildProcess.again(["strain", strain.rawValue]), terminator: "")
    }
  }
}
