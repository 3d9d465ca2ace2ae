import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G94")) struct CountdownScaleTests {
  @Test(arguments: [
    CountdownScale(from: .seconds(2.1), to: .zero, every: .seconds(0.3)),
    CountdownScale(from: .milliseconds(2100), to: .zero, every: .milliseconds(300)),
  ])
  func `Fractions that aren't exact as binary numbers give no step too many`(scale: CountdownScale) {
    #expect(scale.stepCount == 7)
    #expect(scale.value(ofStep: 7) == .zero)
    for number in 0...7 {
      let error = scale.value(ofStep: Int64(number)) - .milliseconds(2100 - 300 * number)
      #expect(abs(error / .nanoseconds(1)) < 0.001)
    }
  }

  @Test func `A tenth of a second counted ten thousand times comes out at the end`() {
    let scale = CountdownScale(from: .zero, to: .seconds(1000), every: .seconds(0.1))
    #expect(scale.stepCount == 10_000)
    #expect(scale.value(ofStep: 9_999) == .milliseconds(999_900))
    #expect(scale.value(ofStep: 10_000) == .seconds(1000))
  }

  @Test(arguments: [(10, 4, [10.0, 10, 9.75, 4, 4]), (4, 10, [4, 4, 4.25, 10, 10])])
  func `Between the steps the value is that of the clock, and never beyond the ends`(
    start: Int, end: Int, values: [Double]
  ) {
    let scale = CountdownScale(from: .seconds(start), to: .seconds(end), every: .seconds(5))
    let elapsed = [-1, 0, 0.25, 6, 1e9].map { Interval(seconds: $0) }
    #expect(elapsed.map { scale.value(after: $0) } == values.map { .seconds($0) })
  }

  @Test(arguments: SeededGenerator.seeds(1, 2))
  func `Each step comes to the nanosecond and brings its value`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<500 {
      let step = random.magnitude(bits: 1...40) + 1
      // At most some thousand steps; otherwise the last one isn't checked.
      let most = round == 0 ? 0 : step.multipliedSaturated(by: 2_000)
      let total = Int64.random(in: 0...most, using: &random)
      let start = random.magnitude(bits: 1...62) - (1 << 60)
      let isDown = random.chance(50)
      let scale = CountdownScale(
        from: .nanoseconds(start), to: .nanoseconds(isDown ? start - total : start + total),
        every: .nanoseconds(step))
      let about: Comment = "seed \(seed), round \(round): \(scale)"

      try #require(scale.stepCount == (total + step - 1) / step, about)
      for number in [0, 1, scale.stepCount / 2, scale.stepCount - 1, scale.stepCount]
      where (0...scale.stepCount).contains(number) {
        let way = min(step * number, total)
        try #require(scale.time(ofStep: number).nanoseconds == way, about)
        try #require(scale.step(after: Interval(nanoseconds: way)) == number, about)
        try #require(scale.step(after: Interval(nanoseconds: way - 1)) == max(number - 1, 0), about)
        try #require(scale.value(ofStep: number) == .nanoseconds(isDown ? start - way : start + way), about)
      }
    }
  }

  @Test func `A way of centuries beyond the clock's range has its values and its end`() {
    let start = Duration.seconds(Int64.max)
    let end = Duration.seconds(Int64.min)
    let scale = CountdownScale(from: start, to: end, every: .seconds(1))
    #expect(scale.value(ofStep: 1) == start - .seconds(1))
    #expect(scale.step(after: Interval(seconds: 1e9)) == 1_000_000_000)
    #expect(scale.value(ofStep: scale.stepCount) == end)
    // It comes with the end of the clock.
    #expect(scale.time(ofStep: scale.stepCount) == .max)
  }

  // The longest way here is longer than the longest duration.
  @Test(
    arguments: [(Int64.min, Int64.max), (.max, .min), (.max, .max), (0, .max), (.min, 0)],
    [Int64.min, -1, 0, 1, .max])
  func `The end of any way can be moved by any time`(ends: (Int64, Int64), nanoseconds: Int64) {
    let (start, end) = (Duration.seconds(ends.0) * 10, Duration.seconds(ends.1) * 10)
    let scale = CountdownScale(from: start, to: end, every: .seconds(1))
    let next = start < end ? start + .seconds(1) : start - .seconds(1)
    #expect(scale.value(ofStep: 1) == (start == end ? end : next))
    for elapsed in [0, 1_500_000_000, Int64.max] {
      let (extended, now) = scale.extended(
        by: Interval(nanoseconds: nanoseconds), after: Interval(nanoseconds: elapsed))
      #expect(now.nanoseconds >= elapsed)
      #expect(0...1 ~= extended.progress(after: now))
    }
  }

  @Test func `A step of centuries leaves the start and the end`() {
    let scale = CountdownScale(from: .seconds(5), to: .zero, every: .seconds(Int64.max) * 10)
    #expect(scale.stepCount == 1)
    #expect(scale.value(ofStep: 1) == .zero)
    #expect(scale.time(ofStep: 1) == Interval(.seconds(5)))
  }

  @Test func `A step below a nanosecond counts as one`() {
    let scale = CountdownScale(
      from: .nanoseconds(3), to: .zero, every: Duration(secondsComponent: 0, attosecondsComponent: 1))
    #expect((0...scale.stepCount).map { scale.value(ofStep: $0) } == [3, 2, 1, 0].map { .nanoseconds($0) })
  }

  @Test func `Values keep the start's attoseconds and don't pass the end`() {
    let atto = Duration(secondsComponent: 0, attosecondsComponent: 1)
    let down = CountdownScale(from: .nanoseconds(2) + atto, to: .zero, every: .nanoseconds(1))
    #expect(down.value(ofStep: 1) == .nanoseconds(1) + atto)
    #expect(down.value(ofStep: down.stepCount) == .zero)
    let least = CountdownScale(from: atto, to: .zero, every: .seconds(1))
    #expect(least.stepCount == 1)
    #expect((0...1).map { least.value(ofStep: $0) } == [atto, .zero])
  }
}
