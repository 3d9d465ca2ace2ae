/// The metrics of one name, which differ in their labels.
struct MetricFamily: Sendable {
  enum Kind: String {
    case counter, gauge, histogram
  }

  let kind: Kind
  /// A sentence on what they measure. Nil if there is none.
  let description: String?
  var metrics: [LabelSet: any ExportedMetric] = [:]

  init(kind: Kind, description: String?) {
    self.kind = kind
    self.description = description
  }

  /// Without one of them. Nil if it is the last.
  func without(_ handler: AnyObject) -> MetricFamily? {
    var family = self
    family.metrics = metrics.filter { $0.value !== handler }
    return family.metrics.isEmpty ? nil : family
  }

  /// The lines that describe them and name their kind, and the lines of each.
  func text(named name: String) -> String {
    let metrics = metrics.sorted { $0.key < $1.key }
    let samples = metrics.flatMap { labels, metric in metric.samples(labels) }
    let help = description.map { "# HELP \(name) \($0.escaped(["\\", "\n"]))\n" } ?? ""
    return help + "# TYPE \(name) \(kind.rawValue)\n" + samples.map { "\(name)\($0)\n" }.joined()
  }
}

/// A metric that can be written to the page.
protocol ExportedMetric: AnyObject, Sendable {
  /// Returns the metric's present samples.
  func samples(_ labels: LabelSet) -> [Sample]
}

/// One line of the page, without the name that it begins with.
struct Sample: CustomStringConvertible {
  var suffix = ""
  var labels: LabelSet
  var value: String

  var description: String { "\(suffix)\(labels) \(value)" }
}
