import Foundation
import Testing
import WrongClock

@Suite struct WrongClockTests {
  @Test func `A wrong clock is wrong for Foundation, and monotonic clocks stay right`() throws {
    let (date, instant) = (Date(), ContinuousClock.now)
    guard wrong_clock_set(7_200) else { return }
    defer { _ = wrong_clock_set(0) }
    #expect(Date().timeIntervalSince(date) >= 7_200)
    // A clock that is wrong by hours shows hours.
    #expect(ContinuousClock.now - instant < .seconds(3_600))
  }
}
