#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page of the next hour: a lane for each timer, with a mark for each date.
///
/// Each lane is an image in a row of a table. The other cells of the row say what it shows, so the table is
/// the text alternative.
struct HourView {
  let hour: NextHour
  let health: Health
  let query: TimerQuery
  let links: PageLinks

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: next hour", prefix: "", script: PageLinks.style(prefix: "")).html)
    <body>
    \(links.header(title: "Next hour"))
    <main>
    \(HealthView(health: health, query: query, prefix: "../").html)
    <p>As of \(HTML.time(TimerRow.text(of: hour.start))). Times without a zone are in Universal Time. \(sentence)</p>
    \(hour.lanes.isEmpty ? "" : picture)
    </main>
    </body>
    </html>
    """
  }

  /// The sentence about timers that the picture leaves out.
  private var sentence: String {
    var sentences: [String] = []
    let count = hour.lanes.count
    sentences.append(count == 1 ? "1 timer has a lane." : "\(count.grouped) timers have a lane.")
    if hour.otherCount > 0 {
      sentences.append(
        """
        \(hour.otherCount.grouped) more \(hour.otherCount == 1 ? "has" : "have") a date in this hour and no lane; \
        there only the next date counts in the first row. Search for a name to see fewer.
        """)
    }
    switch hour.idleCount {
    case 0: break
    case 1: sentences.append("1 has no date in this hour, as it is paused or due later.")
    case let count:
      sentences.append("\(count.grouped) have no date in this hour, as they are paused or due later.")
    }
    return sentences.joined(separator: " ")
  }

  private var picture: HTML {
    """
    <p>\(crowdText)</p>
    <div class="table" role="region" aria-label="The next hour" tabindex="0">
    <table id="hour">
    <caption>A mark is a date, a bar is more than \(String(HourLane.maximumMarkCount)) of them.</caption>
    <thead>
    <tr><th scope="col">Timer</th><th scope="col" class="lane">\(axis)</th>\
    <th scope="col" class="number">Dates</th><th scope="col" class="number">Longest gap</th></tr>
    </thead>
    <tbody>
    \(crowdRow)
    \(HTML(joining: hour.lanes.map(row)))
    </tbody>
    </table>
    </div>
    """
  }

  /// The times at the top, each ten minutes after the one before.
  private var axis: HTML {
    let times = (0...6).map { step -> HTML in
      let date = hour.start + Double(step * 600)
      return "<time data-axis datetime=\"\(TimerRow.text(of: date))\">\(Self.time(date))</time>"
    }
    return "<span class=\"axis\">\(HTML(joining: times))</span>"
  }

  private var crowdRow: HTML {
    let greatest = max(hour.crowd.max() ?? 0, 1)
    let columns = hour.crowd.enumerated().filter { $0.element > 0 }.map { minute, count in
      let height = max(100 * count / greatest, 2)
      return "M\(minute * 60) 100v-\(height)h60v\(height)z"
    }.joined()
    return """
      <tr id="crowd"><th scope="row">Timers in each minute</th>\
      <td class="lane">\(image(of: columns, named: "crowd", height: 100, text: crowdText))</td>\
      <td class="number" colspan="2">up to \(greatest.grouped)</td></tr>
      """
  }

  private var crowdText: String {
    let crowd = hour.crowd
    guard let most = crowd.max(), let minute = crowd.firstIndex(of: most) else { return "" }
    let timers = most == 1 ? "1 timer" : "\(most.grouped) timers"
    let text = "At most \(timers) in a minute, from \(Self.time(hour.start + Double(minute * 60)))."
    let gap = Self.longestGap(crowd)
    guard gap.count > 0 else { return text + " No minute is without a timer." }
    let from = Self.time(hour.start + Double(gap.lowerBound * 60))
    return text + " No timer for \(gap.count) min from \(from)."
  }

  /// The longest row of minutes without a timer.
  private static func longestGap(_ crowd: [Int]) -> Range<Int> {
    var (longest, begin) = (0..<0, 0)
    for minute in 0...crowd.count where minute == crowd.count || crowd[minute] > 0 {
      if minute - begin > longest.count { longest = begin..<minute }
      begin = minute + 1
    }
    return longest
  }

  private func row(_ lane: HourLane) -> HTML {
    let details = links.query.with { $0.open = TimerKey(lane.key) }
    return """
      <tr><th scope="row"><a href="../timers\(details.text)"><bdi>\(lane.name)</bdi></a> \
      <small>\(lane.scheduler)</small></th>\
      <td class="lane">\(image(of: lane))</td>\
      <td class="number">\(lane.countText)</td><td class="number">\(lane.longestGap.countdown)</td></tr>
      """
  }

  private func image(of lane: HourLane) -> HTML {
    switch lane.dates {
    case .marks(let marks):
      let path = marks.map { "M\(Int($0)) 0v10" }.joined()
      let first = marks.prefix(3).map { Self.time(hour.start + $0, hasSeconds: true) }
        .joined(separator: ", ")
      return image(
        of: path, named: "marks", height: 10,
        text: "\(lane.schedule): \(first)\(marks.count > 3 ? " and \(marks.count - 3) more" : "")")
    case .bar(let parts):
      let path = parts.indices.filter { parts[$0] }.map { part in
        let length = Int(HourLane.partLength)
        return "M\(part * length) 2h\(length)v6h-\(length)z"
      }.joined()
      return image(of: path, named: "bar", height: 10, text: "\(lane.schedule): \(lane.countText) dates")
    }
  }

  /// An image as wide as its cell, in which a unit is a second, with a line each ten minutes.
  private func image(of path: String, named name: String, height: Int, text: String) -> HTML {
    let lines = (0...6).map { "M\($0 * 600) 0v\(height)" }.joined()
    return """
      <svg role="img" aria-label="\(text)" viewBox="0 0 3600 \(String(height))" preserveAspectRatio="none">\
      <title>\(text)</title><path class="lines" d="\(lines)"/><path class="\(name)" d="\(path)"/></svg>
      """
  }

  private static func time(_ date: Date, hasSeconds: Bool = false) -> String {
    // The hour, the minute and the second of a date such as 2026-11-25T18:05:09Z.
    String(TimerRow.text(of: date).dropFirst(11).prefix(hasSeconds ? 8 : 5))
  }
}
