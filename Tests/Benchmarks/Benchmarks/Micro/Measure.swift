import Benchmark

extension BenchmarkMetric {
  /// Counted here, because the time that the framework reads on Linux comes in steps of ten milliseconds.
  static var processorTime: BenchmarkMetric { .custom("Processor time (ns)", useScalingFactor: false) }
}

/// Measures an operation on each of 10,000 pending timers, with the scheduler's work for it.
func measure<Timer: Sendable>(
  _ name: String, of make: @escaping @Sendable (inout TimerMaker) -> Timer,
  _ operation: @escaping @Sendable (inout Timer, inout TimerMaker) -> Void
) {
  let configuration = Benchmark.Configuration(
    metrics: [.processorTime], warmupIterations: 3, maxDuration: .seconds(3), maxIterations: 100,
    thresholds: [.processorTime: BenchmarkThresholds(relative: [.p50: 10])])
  Benchmark(name, configuration: configuration) { (benchmark: Benchmark, population: Population<Timer>) in
    let time = await population.forEach(operation) / population.count
    benchmark.measurement(.processorTime, Int(time / .nanoseconds(1)))
  } setup: {
    await Population(of: 10_000, make)
  }
}
