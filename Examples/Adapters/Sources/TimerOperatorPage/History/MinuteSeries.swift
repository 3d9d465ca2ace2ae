#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The greatest lateness and the longest run in each of the last 60 minutes.
package struct MinuteSeries: Sendable, Hashable {
  /// One minute. What didn't happen in it is nil.
  package struct Minute: Sendable, Hashable {
    package internal(set) var number: Int
    /// In seconds.
    package internal(set) var lateness: Float?
    /// In seconds.
    package internal(set) var runTime: Float?
    package internal(set) var tickCount = 0
  }

  package static let length = 60

  /// Those minutes in which something happened, in a ring.
  private var ring: [Minute] = []

  package init() {}

  /// The number of a date's minute, counted from 1970.
  package static func minute(of date: Date) -> Int {
    Int(min(max((date.timeIntervalSince1970 / 60).rounded(.down), -1e15), 1e15))
  }

  package mutating func note(lateness: Duration, at minute: Int) {
    let seconds = Float(lateness.seconds)
    change(minute) {
      $0.tickCount += 1
      $0.lateness = max($0.lateness ?? 0, seconds)
    }
  }

  package mutating func note(runTime: Duration, at minute: Int) {
    let seconds = Float(runTime.seconds)
    change(minute) { $0.runTime = max($0.runTime ?? 0, seconds) }
  }

  /// The last 60 minutes up to the one given, the oldest first. Nil for a minute in which nothing happened.
  package func minutes(upTo last: Int) -> [Minute?] {
    var minutes = [Minute?](repeating: nil, count: Self.length)
    for minute in ring {
      let index = minute.number - last + Self.length - 1
      if minutes.indices.contains(index) { minutes[index] = minute }
    }
    return minutes
  }

  private mutating func change(_ number: Int, _ change: (inout Minute) -> Void) {
    // Grows while the first hour lasts, so that a timer that ticks seldom takes little room.
    if let index = ring.lastIndex(where: { $0.number == number }) {
      change(&ring[index])
      return
    }
    var minute = Minute(number: number)
    change(&minute)
    if ring.count == Self.length, let oldest = ring.indices.min(by: { ring[$0].number < ring[$1].number }) {
      if ring[oldest].number < number { ring[oldest] = minute }
    } else {
      ring.append(minute)
    }
  }
}
