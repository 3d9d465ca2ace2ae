/// The tables of a comparison, in Markdown.
struct Report {
  private let measurements: [Measurement]

  init(_ measurements: [Measurement]) {
    self.measurements = measurements
  }

  var text: String {
    let tables = WorkloadName.allCases.flatMap { workload in
      let found = measurements.filter { $0.workload == workload }
      return workload.tables(for: Set(found.map(\.count)).sorted()).map { $0.text(of: found) }
    }
    return """
      Medians, with the least and the most of all runs in brackets. Before the sign × stands the ratio to the
      figure of the first row, or in W6 to that of a bare dispatch timer.

      \(tables.joined(separator: "\n\n"))
      """
  }
}
