import Synchronization

/// The metrics of each timer, by its name.
///
/// Timers without a name share `unnamed`, and those whose names are beyond a limit share `other`.
final class MetricsByTimer<Metrics: Sendable>: Sendable {
  private let nameLimit: Int
  private let make: @Sendable ([(String, String)]) -> Metrics
  /// Guards the metrics of each name.
  private let metrics = Mutex<[String: Metrics]>([:])

  /// Creates a table without metrics.
  ///
  /// - Parameters:
  ///   - nameLimit: How many timers are told apart by name.
  ///   - make: Makes the metrics of given dimensions.
  init(nameLimit: Int, make: @escaping @Sendable ([(String, String)]) -> Metrics) {
    self.nameLimit = nameLimit
    self.make = make
  }

  subscript(name: String?) -> Metrics {
    metrics.withLock { metrics in
      let timer = name.map { metrics[$0] != nil || metrics.count < nameLimit ? $0 : "other" } ?? "unnamed"
      if let known = metrics[timer] { return known }
      let new = make([("timer", timer)])
      metrics[timer] = new
      return new
    }
  }
}
