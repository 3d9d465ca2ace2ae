import Foundation
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// The picture of the next hour. The fixture's clock begins at midnight, and its timer ticks each second.
@Suite(.timeLimit(.minutes(30))) struct HourTests {
  private let fixture = Fixture()

  private func hour(_ query: TimerQuery = TimerQuery()) async -> NextHour {
    await fixture.page.feed.hour(for: query)
  }

  private func lane(_ name: String) async throws -> HourLane {
    try #require(await hour().lanes.first { $0.name == name })
  }

  private func schedule(_ schedule: TimerSchedule, name: String? = nil) -> ScheduledTimer {
    fixture.scheduler.schedule(schedule, name: name) { _ in }
  }

  /// A rule with a date each second of some minutes of an hour.
  private struct Minutes: TickRule {
    let minutes: Set<Int>

    func nextTick(after date: Date) -> Date? {
      var next = (date.timeIntervalSinceReferenceDate + 1).rounded(.down)
      while !minutes.contains(Int(next / 60) % 60) { next = (next / 60).rounded(.down) * 60 + 60 }
      return Date(timeIntervalSinceReferenceDate: next)
    }
  }

  // MARK: Lanes

  // minutes   0    20   40   60   80
  // dates          |    |    |    |
  // hour      [==============)
  @Test func `A lane has a mark for each date before the end of the hour`() async throws {
    _ = schedule(.every(.seconds(1_200)), name: "report")
    #expect(try await lane("report").dates == .marks([1_200, 2_400]))
    await fixture.clock.advance(by: .seconds(600))
    #expect(try await lane("report").dates == .marks([600, 1_800, 3_000]))
    #expect(try await lane("report").longestGap == .seconds(1_200))
    let minutes = try await lane("report").minutes
    #expect(minutes.indices.filter { minutes[$0] } == [10, 30, 50])
  }

  @Test(arguments: [(30, 119), (29, nil)] as [(Int, Int?)])
  func `A timer with more dates than are looked at has a bar`(seconds: Int, markCount: Int?) async throws {
    _ = schedule(.every(.seconds(seconds)), name: "poll")
    switch try await lane("poll").dates {
    case .marks(let marks): #expect(marks.count == markCount)
    case .bar(let parts):
      #expect(markCount == nil)
      // The first date is due within the first half minute.
      #expect(!parts.contains(false))
    }
  }

  @Test func `A bar has the gaps of its rule, and ends with its schedule`() async throws {
    _ = schedule(.rule(Minutes(minutes: [0, 1, 20])), name: "bursts")
    let bursts = HourLane.Dates.bar((0..<120).map { [0, 1, 20].contains($0 / 2) })
    #expect(try await lane("bursts").dates == bursts)
    #expect(try await lane("bursts").longestGap == .seconds(39 * 60))
    let end = fixture.clock.date + 590
    _ = schedule(.every(.seconds(1)).until(end), name: "ending")
    #expect(try await lane("ending").dates == .bar((0..<120).map { $0 < 20 }))
  }

  @Test func `Delays have a mark, and paused and later timers have no lane`() async throws {
    _ = schedule(.after(.seconds(90)))
    schedule(.every(.seconds(60)), name: "paused").pause()
    _ = schedule(.every(.seconds(7_200)), name: "later")
    let hour = await hour()
    #expect(hour.start == fixture.clock.date)
    #expect(hour.lanes.count == 2)
    #expect(hour.lanes.contains { $0.schedule == "once, after 90 s" && $0.dates == .marks([90]) })
    #expect(hour.idleCount == 2)
    #expect(hour.otherCount == 0)
  }

  // MARK: Many

  @Test func `200 timers have a lane, and the others are counted by their next date`() async throws {
    for number in 0..<250 { _ = schedule(.after(.seconds(60 * (number % 50) + 30)), name: "job \(number)") }
    for _ in 0..<7 { _ = schedule(.after(.seconds(4_000))) }
    let hour = await hour()
    #expect(hour.lanes.count == NextHour.laneLimit)
    #expect(hour.otherCount == 51)
    #expect(hour.idleCount == 7)
    // The timer of the fixture ticks in every minute, and is the first by name.
    #expect(hour.crowd == (0..<60).map { $0 < 50 ? 6 : 1 })

    var query = TimerQuery()
    query.search = "job 7"
    let few = await self.hour(query)
    #expect(few.lanes.map(\.name).sorted() == ["job 7"] + (70...79).map { "job \($0)" })
    #expect(few.otherCount == 0)
    // No page of the query: its number is of the table.
    query.page = 40
    #expect(await self.hour(query).lanes.count == few.lanes.count)
  }

  // MARK: The page

  @Test func `The page shows each lane as an image with a text, and as a row of a table`() async throws {
    _ = schedule(.every(.seconds(1_200)), name: "<report>")
    schedule(.every(.seconds(60)), name: "paused").pause()
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page("/hour?q=%3Creport").text
      #expect(text.contains("<bdi>&lt;report&gt;</bdi>") && !text.contains("<report>"))
      #expect(text.contains("<svg role=\"img\" aria-label=\"every 20 m: 00:20:00, 00:40:00\""))
      #expect(text.contains("<path class=\"marks\" d=\"M1200 0v10M2400 0v10\"/>"))
      #expect(text.contains("<td class=\"number\">2</td><td class=\"number\">20:00</td>"))
      #expect(text.contains("At most 1 timer in a minute, from 00:20. No timer for 20 min from 00:00."))
      #expect(
        text.contains("As of <time datetime=\"2001-01-01T00:00:00Z\">2001-01-01T00:00:00Z</time>. Times"))
      #expect(text.contains("are in Universal Time. 1 timer has a lane."))
      #expect(text.contains("<time data-axis datetime=\"2001-01-01T00:10:00Z\">00:10</time>"))
      #expect(text.contains("href=\"../timers?q=%3Creport\""))

      let all = try await client.page("/hour").text
      #expect(all.contains("<path class=\"bar\""))
      #expect(all.contains("more than 120"))
      #expect(all.contains("1 has no date in this hour, as it is paused or due later."))
      #expect(all.components(separatedBy: "<script").count == 2 && all.contains("src=\"time.js\""))
      #expect(!all.contains(" style="))
    }
  }

  @Test func `The page stays small, whatever the timers`() async throws {
    for number in 0..<400 {
      _ = schedule(.every(.seconds(29 + number % 3)), name: "job \(number)")
    }
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page("/hour").text
      #expect(text.components(separatedBy: "<svg").count - 1 == 201)
      #expect(text.contains("201 more have a date in this hour and no lane"))
      #expect(text.utf8.count < 600_000)
    }
  }

  @Test func `Without a token the views show nothing, and the page leads to them`() async throws {
    let guarded = Fixture(access: .ada())
    try await guarded.app.test(.router) { client async throws in
      for path in ["/hour", "/schedulers"] {
        let refused = try await client.page(path)
        #expect(refused.status == .unauthorized)
        #expect(refused.text.contains("action=\"login\"") && !refused.text.contains("clock"))
      }
      let page = try await client.execute(uri: "/timers?q=clock", method: .get, headers: .adminToken).text
      #expect(page.contains("href=\"timers/hour?q=clock\""))
      #expect(page.contains("href=\"timers/schedulers?q=clock\""))
      #expect(page.contains("aria-current=\"page\">Timers</a>"))
      let hour = try await client.execute(uri: "/timers/hour", method: .get, headers: .adminToken).text
      #expect(hour.contains("href=\"../timers/hour\" aria-current=\"page\">Next hour</a>"))
      let jobs = try await client.execute(
        uri: "/timers?scheduler=jobs", method: .get, headers: .adminToken
      ).text
      #expect(jobs.contains("data-only=\"jobs\" aria-current=\"true\">jobs</a>"))
      #expect(try await client.execute(uri: "/timers/views.css", method: .get).text.contains(".lane"))
    }
  }
}
