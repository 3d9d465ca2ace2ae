import TestedCode
import Testing
import TimerSchedulingTesting

struct LoadedTwice: Error {}

@Test func `In no order a page is loaded twice`() async throws {
  try await exploreOrders { clock in
    let loads = Counter()
    let pages = Pages { name in
      _ = await loads.increment()
      try? await clock.sleep(for: .seconds(1))
      return name
    }
    async let first = pages.page("a"), second = pages.page("a")
    _ = await (first, second)
    if await loads.increment() > 2 { throw LoadedTwice() }
  }
}

@Test func `An order is found in which careless pages load one twice`() async throws {
  let failure = await #expect(throws: OrderFailure.self) {
    try await exploreOrders { clock in
      let loads = Counter()
      let pages = CarelessPages { name in
        _ = await loads.increment()
        await Task.yield()
        return name
      }
      async let first = pages.page("a"), second = pages.page("a")
      _ = await (first, second)
      if await loads.increment() > 2 { throw LoadedTwice() }
    }
  }
  #expect(failure?.error is LoadedTwice)
}
