/// A metric's labels, in the order of their names, as they stand on the page.
struct LabelSet: Hashable, Comparable, CustomStringConvertible {
  private struct Label: Hashable {
    var name: String
    var value: String
  }

  private var labels: [Label]

  /// Takes a metric's dimensions. Of two with one name the first counts.
  ///
  /// `le` is the histograms' own; a dimension of that name gets the prefix that Prometheus gives in such
  /// cases.
  init(_ dimensions: [(String, String)]) {
    var labels: [String: String] = [:]
    for (dimension, value) in dimensions {
      let accepted = dimension.replacingAll(except: { $0.isLetterOrDigit || $0 == "_" })
      let name = accepted == "le" ? "exported_le" : accepted
      if labels[name] == nil { labels[name] = value }
    }
    self.labels = labels.map { Label(name: $0, value: $1) }.sorted { $0.name < $1.name }
  }

  /// With the upper bound of a histogram's bucket.
  func with(upperBound: String) -> LabelSet {
    var set = self
    set.labels.append(Label(name: "le", value: upperBound))
    return set
  }

  var description: String {
    guard !labels.isEmpty else { return "" }
    return "{"
      + labels.map { "\($0.name)=\"\($0.value.escaped(["\\", "\"", "\n"]))\"" }.joined(separator: ",") + "}"
  }

  static func < (left: LabelSet, right: LabelSet) -> Bool { left.description < right.description }
}

extension String {
  /// With a backslash before some scalars, and `\n` for line feeds.
  func escaped(_ scalars: Set<Unicode.Scalar>) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if scalars.contains(scalar) { text += "\\" }
      text.unicodeScalars.append(scalar == "\n" ? "n" : scalar)
    }
    return text
  }
}
