/// A chart of a series: for each of the last 60 minutes a bar for the lateness, and one for the run time.
///
/// The scale is logarithmic, from 10 µs to 10 s, so that charts can be compared and a single late tick
/// doesn't flatten the others.
package struct LatenessChart: Sendable, Encodable, Hashable {
  package static let (width, height) = (240, 48)

  /// The paths of the bars, for an image of 240 by 48.
  package let lateness: String
  package let runTime: String
  /// A sentence that says what the chart shows, for screen readers.
  package let text: String

  init(_ series: MinuteSeries, upTo minute: Int) {
    let minutes = series.minutes(upTo: minute)
    lateness = Self.path(minutes.map { $0?.lateness }, shift: 1)
    runTime = Self.path(minutes.map { $0?.runTime }, shift: 2.5)
    let latenesses = minutes.compactMap { $0?.lateness }
    let runTimes = minutes.compactMap { $0?.runTime }
    text =
      latenesses.isEmpty
      ? "No tick in the last hour"
      : "Lateness up to \(Self.longest(latenesses)), run time up to \(Self.longest(runTimes))"
  }

  private static func longest(_ values: [Float]) -> String {
    values.max().map { Duration.seconds(Double($0)).abbreviated } ?? "–"
  }

  private static func path(_ values: [Float?], shift: Double) -> String {
    values.enumerated().compactMap { index, value in
      value.map { "M\(Double(4 * index) + shift) \(height)v-\(barHeight($0))" }
    }.joined()
  }

  private static func barHeight(_ seconds: Float) -> Double {
    let share = logarithm(max(Double(seconds), 1e-5) / 1e-5) / 6
    return ((1 + Double(height - 1) * min(share, 1)) * 10).rounded() / 10
  }

  /// The decimal logarithm, in steps of a sixteenth. Foundation's essentials have none.
  private static func logarithm(_ value: Double) -> Double {
    var (rest, steps) = (value, 0.0)
    let step = 1.1547819846894583
    while rest >= step, steps < 96 {
      rest /= step
      steps += 1
    }
    return steps / 16
  }
}
