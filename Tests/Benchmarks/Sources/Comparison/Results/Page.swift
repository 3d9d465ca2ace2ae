import Foundation

/// A page of the documentation with tables and figures that come from results.
///
/// Comments in the page say which, and `<!-- end -->` ends each:
///
///     <!-- circumstances -->                   when, where and from which commit the results are
///     <!-- table w4 10000: load p50 -->        a workload's table, by numbers of timers and metrics
///     <!-- w1 action 1000000 replace -->       one figure: workload, peer, number of timers, metric
struct Page {
  var text: String

  /// The rows of a page's tables: not the parts of a scheduler, and not the variants of a peer.
  private static let peers: Set<PeerName> = [
    .action, .stream, .consumer, .dispatchSource, .taskSleep, .sleepingLoop, .asyncTimerSequence,
    .runLoopTimer, .nioTask, .libuv, .libev,
  ]

  mutating func fill(from results: ResultsFile) throws {
    let measurements = try results.read()
    let circumstances = try results.circumstances()
    text.replace(/<!-- circumstances -->.*?<!-- end -->/) { _ in
      "<!-- circumstances -->\(circumstances.summary)<!-- end -->"
    }
    text = try text.replacing(/<!-- table (\w+)([ \d]+): ([\w ]+) -->[\s\S]*?<!-- end -->/) { match in
      let workload: WorkloadName = try Self.value(match.1)
      let counts = match.2.split(separator: " ").compactMap { Int($0) }
      let metrics: [Metric] = try match.3.split(separator: " ").map(Self.value)
      let found = measurements.filter { $0.workload == workload && Self.peers.contains($0.peer) }
      let table =
        found.isEmpty ? "Not in this run." : workload.table(counts, metrics).text(of: found, isBrief: true)
      return "<!-- table \(match.1)\(match.2): \(match.3) -->\n\n\(table)\n\n<!-- end -->"
    }
    text = try text.replacing(/<!-- (w\w+) (\w+) (\d+) (\w+) -->.*?<!-- end -->/) { match in
      let workload: WorkloadName = try Self.value(match.1)
      let sample = measurements.filter { $0.workload == workload }
        .sample(try Self.value(match.4), of: try Self.value(match.2), count: Int(match.3) ?? 0)
      return "<!-- \(match.1) \(match.2) \(match.3) \(match.4) -->\(sample?.median.text ?? "–")<!-- end -->"
    }
  }

  /// Returns the workload, peer or metric of a name in a comment.
  private static func value<Name: RawRepresentable<String>>(_ name: Substring) throws -> Name {
    guard let value = Name(rawValue: String(name)) else {
      throw BenchmarkError("A comment names \(name), which isn't a \(Name.self).")
    }
    return value
  }
}
