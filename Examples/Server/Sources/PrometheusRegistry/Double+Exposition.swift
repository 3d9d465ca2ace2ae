extension Double {
  /// The number as Prometheus reads it, without a fraction if it has none.
  var exposition: String {
    if isNaN { return "NaN" }
    if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: self).map(String.init) ?? description
  }
}
