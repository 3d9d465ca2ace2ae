import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Searching, filtering, sorting and turning pages.
@Suite(.timeLimit(.minutes(30))) struct QueryTests {
  private let fixture = Fixture()

  private func names(_ query: TimerQuery) async -> [String] {
    await fixture.page.feed.report(for: query).rows.map(\.name)
  }

  private func query(_ change: (inout TimerQuery) -> Void) -> TimerQuery {
    var query = TimerQuery()
    change(&query)
    return query
  }

  @Test func `A search finds a part of a name in upper and lower case, and a number`() async {
    for name in ["Cache refresh", "cache evict", "upload", "Größe"] {
      fixture.scheduler.schedule(.every(.seconds(60)), name: name) { _ in }
    }
    #expect(await names(query { $0.search = "CACHE" }) == ["cache evict", "Cache refresh"])
    #expect(await names(query { $0.search = "GRÖß" }) == ["Größe"])
    #expect(await names(query { $0.search = "nothing" }).isEmpty)
    #expect(await names(query { $0.search = "#\(fixture.timer.id)" }) == ["clock"])
  }

  @Test func `A filter shows timers of one state`() async {
    struct Failure: Error {}
    fixture.scheduler.schedule(.every(.seconds(60)), name: "idle") { _ in }.pause()
    fixture.scheduler.schedule(.every(.seconds(1)), name: "broken") { _ in throw Failure() }
    await fixture.clock.advance(by: .seconds(1))
    #expect(await names(query { $0.state = .paused }) == ["idle"])
    #expect(await names(query { $0.state = .failed }) == ["broken"])
    #expect(await names(query { $0.state = .scheduled }) == ["broken", "clock"])
    #expect(await names(query { $0.state = .running }).isEmpty)
  }

  // The timer `clock` has ticked 60 times by then.
  @Test(arguments: [
    ("name", ["a", "b", "clock"]), ("-name", ["clock", "b", "a"]), ("-ticks", ["clock", "b", "a"]),
    ("ticks", ["a", "b", "clock"]), ("next", ["clock", "b", "a"]),
  ])
  func `Rows are sorted by a column`(order: String, expected: [String]) async throws {
    fixture.scheduler.schedule(.every(.seconds(50)), name: "a") { _ in }
    fixture.scheduler.schedule(.every(.seconds(20)), name: "b") { _ in }
    await fixture.clock.advance(by: .seconds(60))
    let order = try #require(RowOrder(order))
    // a is due at 100 s, b at 80 s and clock at 61 s.
    #expect(await names(query { $0.order = order }) == expected)
  }

  @Test func `Names go by the value of their numbers, and upper and lower case are the same`() async {
    let names = ["job-10", "Job-3", "job-2", "job-02", "job-2b", "job", "job-10.9", "job-10.10"]
    for name in names { fixture.scheduler.schedule(.every(.seconds(60)), name: name) { _ in } }
    let order = ["clock", "job", "job-02", "job-2", "job-2b", "Job-3", "job-10", "job-10.9", "job-10.10"]
    #expect(await self.names(TimerQuery()) == order)
    #expect(await self.names(query { $0.order.isDescending = true }) == order.reversed())
  }

  @Test(arguments: [
    ("2", "10"), ("timer 9 of a long list", "timer 10"),
    ("a long name that ends in 9", "A long name that ends in 10"),
    ("99999999999999999999999998", "99999999999999999999999999"), ("a", "a0"), ("a1z", "a02"),
    ("", "1"),
    ("a 9 b 9", "a 9 b 10"), ("Z9", "z10"), ("0009", "10"), ("x", "ä"),
  ])
  func `One name comes before another, and not the other way round`(first: String, second: String) {
    #expect(NameOrder.isBefore(first, second))
    #expect(!NameOrder.isBefore(second, first))
    #expect(!NameOrder.isBefore(first, first))
  }

  @Test func `The order of names is that of their parts, each a character or a number`() {
    for _ in 0..<20_000 {
      let (left, right) = (randomName(), randomName())
      let parts = (parts(left), parts(right))
      let isBefore = parts.0 == parts.1 ? left < right : parts.0.lexicographicallyPrecedes(parts.1)
      #expect(NameOrder.isBefore(left, right) == isBefore, "\(left), \(right)")
    }
  }

  private func randomName() -> String {
    String((0..<Int.random(in: 0...8)).compactMap { _ in "aBb019-ä:".randomElement() })
  }

  /// The characters of a name in lower case. In place of a number, the character 0, the count of its digits,
  /// and these.
  private func parts(_ name: String) -> [UInt8] {
    var parts: [UInt8] = []
    for match in name.matches(of: /[0-9]+|[^0-9]/) {
      let digits = match.output.utf8.drop { $0 == UInt8(ascii: "0") }
      if match.output.first?.isNumber == true {
        parts += [UInt8(ascii: "0"), UInt8(digits.count)] + digits
      } else {
        parts += match.output.lowercased().utf8
      }
    }
    return parts
  }

  @Test func `Timers without a name come after those with one, in every order`() async {
    for number in 0..<30 {
      fixture.scheduler.schedule(.every(.seconds(60)), name: "job-\(number)") { _ in }
      fixture.scheduler.schedule(.every(.seconds(60))) { _ in }
    }
    let named = ["clock"] + (0..<30).map { "job-\($0)" }
    for order in ["name", "ticks", "-missed"] {
      let names = await names(query { $0.order = RowOrder(order) ?? RowOrder() })
      #expect(Array(names.prefix(31)) == named, "\(order)")
    }
  }

  @Test(arguments: ["name", "-name", "-next"])
  func `Each of 3,000 timers is on one page, in order`(order: String) async throws {
    var names = ["clock"]
    for number in 0..<2_999 {
      names.append("\(Bool.random() ? "Timer" : "timer")-\(number % 1_500)-\(Int.random(in: 8...11))")
      fixture.scheduler.schedule(
        .every(.seconds(number % 7 + 60)), name: names.last, owner: Owner.shared(number)
      ) { _, _ in }
    }
    let order = try #require(RowOrder(order))
    var rows: [TimerRow] = []
    for page in 1...60 {
      rows += await fixture.page.feed.report(
        for: query {
          $0.order = order
          $0.page = page
        }
      ).rows
    }
    #expect(Set(rows.map(\.key)).count == 3_000)
    guard order.column == .name else { return }
    let sorted = names.sorted(by: NameOrder.isBefore)
    #expect(rows.map(\.name) == (order.isDescending ? sorted.reversed() : sorted))
  }

  @Test func `Schedulers are shown together, or one by itself`() async throws {
    let other = TimerScheduler(clock: fixture.clock)
    other.schedule(.every(.seconds(60)), name: "session") { _ in }
    let fixture = Fixture(others: [ShownScheduler(other, name: "timeouts")])
    let feed = fixture.page.feed
    #expect(await feed.report(for: TimerQuery()).rows.map(\.scheduler) == ["jobs", "timeouts"])
    let one = await feed.report(for: query { $0.scheduler = "timeouts" })
    #expect(one.rows.map(\.name) == ["session"])
    #expect(one.summaries.map(\.name) == ["jobs", "timeouts"])
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page("?scheduler=timeouts").text
      #expect(text.contains("<option value=\"timeouts\" selected>"))
      #expect(!text.contains("<bdi>clock</bdi>"))
    }
  }

  @Test func `Requests for two schedulers in turn share looks`() async {
    let other = TimerScheduler(clock: fixture.clock)
    let fixture = Fixture(lookDuration: .seconds(1), others: [ShownScheduler(other, name: "timeouts")])
    let feed = fixture.page.feed
    _ = await feed.report(for: query { $0.scheduler = "jobs" })
    let look = await feed.report(for: query { $0.scheduler = "timeouts" }).time
    for scheduler in ["jobs", "timeouts", "jobs"] {
      #expect(await feed.report(for: query { $0.scheduler = scheduler }).time == look)
    }
  }

  @Test(arguments: [
    "", "?scheduler=jobs&q=caf%C3%A9%20%26%20%22bar%22&state=paused&sort=-ticks&page=3&open=jobs/17",
  ])
  func `An address carries the query`(text: String) async throws {
    let router = Router()
    router.get("timers") { request, _ in TimerQuery(request).text }
    try await Application(router: router).test(.router) { client async throws in
      #expect(try await client.page(text).text == text)
    }
  }

  @Test func `A form's address may write a space as a plus sign`() async throws {
    fixture.scheduler.schedule(.every(.seconds(60)), name: "a + b") { _ in }
    try await fixture.app.test(.router) { client async throws in
      #expect(try await client.page("?q=a+%2B+b&state=&scheduler=").text.contains("<bdi>a + b</bdi>"))
    }
  }

  @Test func `What makes no sense in an address is left out`() async throws {
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page("?state=odd&sort=-odd&page=-4&open=x&q=%3Cscript%3E").text
      #expect(text.contains("No timer."))
      #expect(!text.contains("<script>"))
      #expect(text.contains("value=\"&lt;script&gt;\""))
    }
  }

  @Test(arguments: [1, 2, 50, 1_000, 20_000], [2, 100, 1_000_000])
  func `A part of an array is sorted as if all of it was`(count: Int, kinds: Int) {
    let numbers = (0..<count).map { _ in Int.random(in: 0..<kinds) }
    let sorted = numbers.sorted()
    for start in [0, count / 3, count / 2, count - 1] {
      for length in [0, 1, 50, count] {
        let range = start..<min(start + length, count)
        #expect(numbers.sorted(in: range, by: <) == Array(sorted[range]))
      }
    }
  }

  // A sample misses the range once in a thousand times; then another one is taken.
  @Test func `A part is sorted whatever the sample`() {
    let numbers = (0..<1_000).shuffled()
    for _ in 0..<10_000 {
      let start = Int.random(in: 0..<950)
      #expect(numbers.sorted(in: start..<start + 50, by: <) == Array(start..<start + 50))
    }
  }
}

/// Owners, so that timers may have the same name.
private final class Owner: Sendable {
  private static let owners = (Owner(), Owner())

  static func shared(_ number: Int) -> Owner { number < 1_500 ? owners.0 : owners.1 }
}
