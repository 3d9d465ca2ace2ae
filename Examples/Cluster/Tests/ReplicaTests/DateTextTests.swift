import Foundation
import Replica
import Testing

@Suite struct DateTextTests {
  @Test(arguments: [
    (1_795_424_847.7, "2026-11-23T09:07:27.700Z"), (1_795_424_848.2, "2026-11-23T09:07:28.200Z"),
    (1_795_424_848.0004, "2026-11-23T09:07:28.000Z"), (1_795_424_848.9996, "2026-11-23T09:07:29.000Z"),
  ])
  func `A date's text is that of the nearest millisecond`(seconds: TimeInterval, text: String) {
    #expect(Date(timeIntervalSince1970: seconds).text == text)
  }
}
