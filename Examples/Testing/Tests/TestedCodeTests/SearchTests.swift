import TestedCode
import Testing
import TimerSchedulingTesting

@Test func `A search shows the results for the newest text, in every order`() async throws {
  try await exploreOrders { @MainActor clock in
    let search = Search(load: slowly(on: clock))
    search.find("h")
    search.find("he")
    await clock.advance(by: 1)
    try #require(search.results == ["he"])
  }
}

@Test func `A careless search passes in order 0, and an order is found in which it fails`() async throws {
  let body = { @MainActor @Sendable (clock: VirtualClock) in
    let search = CarelessSearch(load: slowly(on: clock))
    search.find("h")
    search.find("he")
    await clock.advance(by: 1)
    if search.results != ["he"] { throw OldResults() }
  }
  try await exploreOrders(0..<1, body)
  let failure = await #expect(throws: OrderFailure.self) { try await exploreOrders(0..<100, body) }
  #expect(failure?.error is OldResults)
}

struct OldResults: Error {}

/// Returns a function whose answer, the text itself, takes a second.
func slowly(on clock: VirtualClock) -> @Sendable (String) async -> [String] {
  { text in
    try? await clock.sleep(for: .seconds(1))
    return [text]
  }
}
