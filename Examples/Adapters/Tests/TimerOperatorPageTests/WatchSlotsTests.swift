import Testing
import TimerOperatorPage

@Suite struct WatchSlotsTests {
  @Test func `Pages of clients who aren't operators leave places for operators`() {
    var slots = WatchSlots()
    let anonymous = (0..<120).map { number in
      WatchSlots.Viewer(address: IPAddress("198.51.100.\(number)"), isOperator: false)
    }
    let taken = anonymous.count { slots.take(for: $0) }
    #expect(taken == WatchSlots.anonymousCount)
    let ada = WatchSlots.Viewer(address: IPAddress("198.51.100.1"), isOperator: true)
    let takenByAda = (0..<100).count { _ in slots.take(for: ada) }
    #expect(takenByAda == WatchSlots.countPerClient)
    for viewer in anonymous.prefix(WatchSlots.anonymousCount) { slots.leave(viewer) }
    let takenByOne = (0..<100).count { _ in slots.take(for: anonymous[0]) }
    #expect(takenByOne == WatchSlots.countPerClient)
    let takenByOthers = (0..<200).count { _ in slots.take(for: .unknown) }
    #expect(takenByOthers == WatchSlots.count - 2 * WatchSlots.countPerClient)
    slots.leave(ada)
    let takenAgain = (0..<2).map { _ in slots.take(for: ada) }
    #expect(takenAgain == [true, false])
  }
}
