import Foundation

/// SplitMix64: the same seed brings the same numbers on every machine and in every release.
///
/// A randomized test takes its seeds from ``seeds(_:)`` and names the seed where it fails. To replay it:
///
///     TIMER_SEED=123 swift test --filter DeadlineQueueTests
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  // MARK: Seeds

  /// The given seeds. `TIMER_SEED=new` adds a random one, and a number in `TIMER_SEED` replaces them all.
  package static func seeds(_ fixed: UInt64...) -> [UInt64] {
    if let requested { return [requested] }
    return setting == "new" ? fixed + [.random(in: 0...UInt64(UInt32.max))] : fixed
  }

  /// The number in the environment variable `TIMER_SEED`.
  package static var requested: UInt64? { setting.flatMap { UInt64($0) } }

  private static var setting: String? { ProcessInfo.processInfo.environment["TIMER_SEED"] }
}

extension SeededGenerator {
  /// True with the given probability in percent.
  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// A number of at most `bits` bits whose magnitude is as likely to be small as large.
  package mutating func magnitude(bits: ClosedRange<Int>) -> Int64 {
    let mask: UInt64 = (1 << UInt64(Int.random(in: bits, using: &self))) - 1
    return Int64(next() & mask)
  }

  /// One of the choices, each as often as its weight says.
  package mutating func choose<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
    var rest = Int.random(in: 0..<choices.reduce(0) { $0 + $1.weight }, using: &self)
    let position = choices.firstIndex { choice in
      rest -= choice.weight
      return rest < 0
    }
    return choices[position ?? 0].choice
  }
}
