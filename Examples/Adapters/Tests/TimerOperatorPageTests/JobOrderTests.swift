import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The order of the jobs, by name and by time.
@Suite(.timeLimit(.minutes(30))) struct JobOrderTests {
  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))
  private let cluster: TimerCluster

  init() {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
  }

  private func page(_ query: String, _ client: some TestClientProtocol) async throws -> String {
    try await client.execute(uri: "/timers/jobs\(query)", method: .get).text
  }

  @Test func `Jobs are sorted by time and by name, upwards and downwards, and the pages have all of them`()
    async throws
  {
    try await cluster.put(
      (1...120).map { NewJob(name: "job \($0)", handler: "none", after: .seconds(100 * ($0 * 37 % 121))) })
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      func all(_ query: String) async throws -> [String] {
        var (all, next) = ([String](), Optional(query))
        while let query = next {
          let text = try await page(query, client)
          all += text.jobNames
          next = text.jobsAddress(of: "Next page")
        }
        return all
      }
      let byTime = (1...120).sorted { $0 * 37 % 121 < $1 * 37 % 121 }.map { "job \($0)" }
      #expect(try await all("?order=next") == byTime)
      #expect(try await all("?order=-next") == byTime.reversed())
      #expect(try await all("?order=name") == (1...120).map { "job \($0)" })
      #expect(
        try await all("?order=-name&q=11") == [
          "job 119", "job 118", "job 117", "job 116", "job 115", "job 114", "job 113", "job 112", "job 111",
          "job 110", "job 11",
        ])
      let second = try await page("?order=next&page=2", client)
      #expect(second.contains("<caption>Jobs 51 to 100 of 120.</caption>"))
      #expect(second.jobsAddress(of: "Previous page") == "?order=next")
      #expect(second.contains("aria-sort=\"ascending\"><a href=\"jobs?order=-next\">Next date</a>"))
      #expect((try await page("?order=next&page=99", client)).jobNames.count == 20)
    }
  }

  @Test(arguments: [
    (1_500, "job 11499", "Jobs 1 to 50 of 1,500.</caption>"),
    (10_500, "job 19999", "Jobs 1 to 50 of 10,000. Of more jobs, these are the first 10,000 by name."),
  ])
  func `Up to ten thousand jobs are sorted, and of more the first by name, as the page says`(
    count: Int, first: String, caption: String
  ) async throws {
    for start in stride(from: 0, to: count, by: 500) {
      try await cluster.put(
        (start..<start + 500).map {
          NewJob(name: "job \(10_000 + $0)", handler: "none", after: .seconds(20_000 - $0))
        })
    }
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      let text = try await page("?order=next", client)
      #expect(text.jobNames.first == first && text.contains(caption))
    }
  }
}

extension String {
  /// The markup of the table with an identifier. Empty if there is none.
  func table(_ id: String) -> String {
    let parts = components(separatedBy: "<table role=\"table\" id=\"\(id)\"")
    return parts.count == 2 ? parts[1].components(separatedBy: "</table>")[0] : ""
  }

  /// The names in the table of the jobs.
  var jobNames: [String] {
    table("jobs").components(separatedBy: "<bdi>").dropFirst().compactMap {
      $0.components(separatedBy: "</bdi>").first
    }
  }

  /// The query of the link with a text, to the view of the jobs. Nil if there is none.
  func jobsAddress(of title: String) -> String? {
    guard let link = components(separatedBy: "\">\(title)</a>").dropLast().first else { return nil }
    return link.components(separatedBy: "href=\"jobs").last?.replacing("&amp;", with: "&")
  }
}
