import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G73")) struct LatenessHistogramTests {
  private static func interval(_ nanoseconds: Int64) -> Interval { Interval(nanoseconds: nanoseconds) }

  @Test func `Without firings everything is zero`() {
    let histogram = LatenessHistogram()
    #expect(histogram.count == 0)
    #expect(histogram.max == .zero)
    for share in [0, 0.5, 0.99, 1] { #expect(histogram.percentile(share) == .zero) }
  }

  @Test func `The extremes have their buckets`() {
    for lateness: Int64 in [-1, 0, 1, 15, 16, 17, 31, 32, 33, 1023, 1024, .max - 1, .max] {
      var histogram = LatenessHistogram()
      histogram.record(Self.interval(lateness))
      // A single value is exact, because it is clamped by the greatest.
      #expect(histogram.percentile(0.5) == Self.interval(max(lateness, 0)))
      #expect(histogram.max == Self.interval(max(lateness, 0)))
    }
  }

  @Test(arguments: SeededGenerator.seeds(1, 2))
  func `A percentile is that of the sorted values, or up to a sixteenth more`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var histogram = LatenessHistogram()
      // From nanoseconds to centuries.
      let values = (0..<Int.random(in: 1...500, using: &generator)).map { _ in
        generator.magnitude(bits: 0...63)
      }.sorted()
      for value in values.shuffled(using: &generator) { histogram.record(Self.interval(value)) }
      #expect(histogram.count == values.count)
      #expect(histogram.max.nanoseconds == values.last)
      for share in [0.0, 0.01, 0.5, 0.9, 0.99, 1] {
        let rank = max(Int((Double(values.count) * share).rounded(.up)), 1)
        let exact = values[rank - 1]
        let told = histogram.percentile(share).nanoseconds
        #expect(told >= exact)
        #expect(told <= exact.addingSaturated(exact / 16))
      }
    }
  }
}
