/// One of the tasks of a load.
protocol LoadStep: Sendable {
  /// Performs one operation, and returns its measurement.
  func perform() async throws -> Duration
}

/// Several tasks that each perform one operation after another for a while.
enum Load {
  struct NotClaimed: Error {}

  struct Result: Sendable {
    /// In ascending order.
    var latencies: [Duration]
    var seconds: Double

    var perSecond: Double { Double(latencies.count) / seconds }

    func milliseconds(_ quantile: Double) -> Double {
      latencies.isEmpty ? 0 : latencies[Int(Double(latencies.count - 1) * quantile)] / .milliseconds(1)
    }
  }

  static func run(
    _ count: Int, for duration: Duration, _ makeStep: @escaping @Sendable (Int) async throws -> any LoadStep
  ) async throws -> Result {
    var steps: [any LoadStep] = []
    for number in 0..<count { steps.append(try await makeStep(number)) }
    let begin = ContinuousClock.now
    let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for step in steps {
        group.addTask {
          var latencies: [Duration] = []
          while ContinuousClock.now - begin < duration { latencies.append(try await step.perform()) }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return Result(latencies: latencies.sorted(), seconds: (ContinuousClock.now - begin) / .seconds(1))
  }
}

extension [Double] {
  /// The median of all rounds, with the minimum and maximum.
  var summary: String {
    let sorted = sorted()
    guard let least = sorted.first, let greatest = sorted.last else { return "-" }
    return "\(sorted[count / 2].short) (\(least.short) to \(greatest.short))"
  }
}

extension Double {
  fileprivate var short: String {
    self >= 100 ? "\(Int(rounded()))" : "\((self * 100).rounded() / 100)"
  }
}
