import TestSupport
import Testing
import TimerScheduling

@Suite struct DeliveryWaitersTests {
  @Test func `A wait is over when as many events were delivered as it is for`() {
    var waiters = DeliveryWaiters<String>()
    let tickets = [2, 2, 5].map { waiters.makeTicket(eventCount: $0) }
    for (name, ticket) in zip(["a", "b", "c"], tickets) { waiters.add(name, ticket) }
    #expect(waiters.takeAll(after: 1) == [])
    #expect(waiters.takeAll(after: 2) == ["a", "b"])
    #expect(waiters.takeAll(after: 4) == [])
    #expect(waiters.takeAll(after: 6) == ["c"])
    #expect(waiters.takeAll(after: 7) == [])
  }

  @Test func `One that was given up isn't waited for by later ones`() {
    var waiters = DeliveryWaiters<String>()
    let first = waiters.makeTicket(eventCount: 5)
    let second = waiters.makeTicket(eventCount: 5)
    waiters.add("first", first)
    waiters.add("second", second)
    #expect(waiters.remove(first) == "first")
    #expect(waiters.remove(first) == nil)
    #expect(waiters.takeAll(after: 5) == ["second"])
    #expect(waiters.remove(second) == nil)
  }

  @Test func `One that is added after later ones were over is found`() {
    var waiters = DeliveryWaiters<String>()
    let first = waiters.makeTicket(eventCount: 5)
    let second = waiters.makeTicket(eventCount: 5)
    let third = waiters.makeTicket(eventCount: 9)
    waiters.add("third", third)
    waiters.add("second", second)
    #expect(waiters.takeAll(after: 5) == ["second"])
    waiters.add("first", first)
    #expect(waiters.takeAll(after: 5) == ["first"])
    #expect(waiters.takeAll(after: 9) == ["third"])
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3))
  func `No wait is lost or over too early, in any order of calls`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var waiters = DeliveryWaiters<Int>()
    var (appended, delivered, name) = (0, 0, 0)
    var pending: [(Int, DeliveryWaiters<Int>.Ticket)] = []
    var waiting: [Int: DeliveryWaiters<Int>.Ticket] = [:]
    for _ in 0..<5_000 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: appended += 1
      case 1:
        name += 1
        pending.append((name, waiters.makeTicket(eventCount: appended)))
      case 2 where !pending.isEmpty:
        let (name, ticket) = pending.remove(at: Int.random(in: pending.indices, using: &generator))
        guard ticket.eventCount > delivered else { continue }
        waiters.add(name, ticket)
        waiting[name] = ticket
      case 3:
        guard generator.chance(20), let (name, ticket) = waiting.randomElement(using: &generator) else {
          continue
        }
        waiting[name] = nil
        #expect(waiters.remove(ticket) == name)
      default:
        guard delivered < appended else { continue }
        delivered += 1
        let over = waiting.filter { $0.value.eventCount <= delivered }.keys
        #expect(waiters.takeAll(after: delivered).sorted() == over.sorted(), "seed \(seed)")
        for name in over { waiting[name] = nil }
      }
    }
  }
}
