/// The readings of the two clocks, in nanoseconds from the start of the scenario.
struct Clocks: Equatable {
  var monotonic: Int64 = 0
  var wall: Int64 = 0

  subscript(isWall isWall: Bool) -> Int64 { isWall ? wall : monotonic }

  mutating func move(by duration: Int64) {
    monotonic += duration
    wall += duration
  }
}

/// A tick as a consumer logs it. A stream of dates has only the date.
struct Tick: Equatable, Sendable {
  var date: Int64
  var details: Details?

  struct Details: Equatable, Sendable {
    var due: Int64
    var index: Int
    var missed: Int
    var lateness: Int64
  }
}

extension Tick: CustomStringConvertible {
  var description: String {
    guard let details else { return date.inSeconds }
    return """
      #\(details.index) at \(date.inSeconds), due \(details.due.inSeconds), late \(details.lateness.inSeconds), \
      missed \(details.missed)
      """
  }
}
