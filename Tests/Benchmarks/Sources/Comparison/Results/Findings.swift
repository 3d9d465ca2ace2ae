import Foundation

/// The findings of a measurement.
struct Findings: Sendable {
  var values: [Metric: Double]
  /// The lateness in microseconds that 0, 43.8, 68.4, 82.2, 90, 94.4 … percent of the ticks don't exceed:
  /// four steps to each further nine.
  var curve: [Double]?

  init(_ values: [Metric: Double], curve: [Double]? = nil) {
    self.values = values
    self.curve = curve
  }

  /// The percentile of a point of the curve.
  static func percentile(ofPoint index: Int) -> Double {
    100 * (1 - pow(10, -Double(index) / 4))
  }
}
