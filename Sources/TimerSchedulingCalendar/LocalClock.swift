package import Foundation

/// What the clocks of a time zone show.
///
/// A moment is the number of seconds from the first moment of 2001 in Universal Time; a local time is that number
/// as a local clock shows it.
package struct LocalClock {
  /// The moment from which a clock shows another time than the one before would have.
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

  /// Within this time there is one change at most, and it is by less.
  ///
  /// A day was left out or repeated where the date line was moved. No zone has had two changes in three days:
  /// the closest, in Freetown in 1939 by Debian's data, are 3.99 days apart.
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

  /// The change after `start` that is not after `end`, which is at most a span later.
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
