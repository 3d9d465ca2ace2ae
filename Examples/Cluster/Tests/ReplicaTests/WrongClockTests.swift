import Foundation
import Testing
import WrongClock

// The clock is that of the whole process.
@Suite(.serialized) struct WrongClockTests {
  @Test(arguments: [7_200, -7_200.5])
  func `A wrong clock is wrong for Foundation, and monotonic clocks stay right`(ahead: Double) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bytes = unsafe withUnsafeBytes(of: Int64(ahead * 1_000_000)) { unsafe Data($0) }
    try bytes.write(to: URL(fileURLWithPath: path))
    let (date, instant) = (Date(), ContinuousClock.now)
    guard unsafe wrong_clock_follow(path) else { return }
    defer { _ = wrong_clock_follow(nil) }
    // A clock that is wrong by hours shows hours.
    #expect(abs(Date().timeIntervalSince(date) - ahead) < 3_600)
    #expect(ContinuousClock.now - instant < .seconds(3_600))
  }

  @Test func `A clock without a file isn't followed`() {
    #expect(!(unsafe wrong_clock_follow("/nowhere/clock")))
  }
}
