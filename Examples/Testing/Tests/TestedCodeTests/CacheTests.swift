import TestedCode
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Test func `A cache has a new value every minute`() async {
  let clock = VirtualClock()
  let fetches = Counter()
  let cache = Cache(on: TimerScheduler(clock: clock)) { await fetches.increment() }
  await clock.advance(by: .zero)
  #expect(await cache.value == 1)
  await clock.advance(by: .seconds(59))
  #expect(await cache.value == 1)
  await clock.advance(by: .seconds(1))
  #expect(await cache.value == 2)
  await clock.advance(by: .seconds(86_400))
  #expect(await cache.value == 1442)
}

actor Counter {
  private var count = 0

  func increment() -> Int {
    count += 1
    return count
  }
}
