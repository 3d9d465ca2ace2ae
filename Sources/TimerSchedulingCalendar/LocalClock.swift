package import Foundation

/// A converter between moments and the local times of a time zone.
///
/// A moment is the number of seconds from the first moment of 2001 in Universal Time; a local time is that
/// number as a local clock shows it.
package struct LocalClock {
  /// A moment from which the local clock shows a different time than it would have shown without the change.
  package struct Change: Hashable {
    package let moment: Int
    package let timeBefore: Int
    package let timeAfter: Int

    package init(moment: Int, timeBefore: Int, timeAfter: Int) {
      self.moment = moment
      self.timeBefore = timeBefore
      self.timeAfter = timeAfter
    }
  }

  /// A span of time that contains at most one change. The change itself is smaller than the span.
  ///
  /// A day was left out or repeated where the date line was moved. No zone has had two changes in three days:
  /// the closest two, in Freetown in 1939 by Debian's data, are 3.99 days apart.
  package static let span = 2 * 86_400

  private let timeZone: TimeZone

  package init(timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  package func time(at moment: Int) -> Int {
    moment + offset(at: moment)
  }

  package func offset(at moment: Int) -> Int {
    timeZone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: Double(moment)))
  }

  /// Returns the change after `start` and not after `end`, which is at most one span later than `start`.
  package func change(after start: Int, through end: Int) -> Change? {
    let before = offset(at: start)
    guard before != offset(at: end) else { return nil }
    var (unchanged, changed) = (start, end)
    while changed - unchanged > 1 {
      let middle = unchanged + (changed - unchanged) / 2
      if offset(at: middle) == before { unchanged = middle } else { changed = middle }
    }
    return Change(moment: changed, timeBefore: changed + before, timeAfter: time(at: changed))
  }
}
