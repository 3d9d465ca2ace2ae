/// Who waits until events were delivered.
///
/// A wait is added, given up, and found to be over in constant time: waits are for no fewer events than those before
/// them, so they are over in the order of their numbers.
package struct DeliveryWaiters<Waiter> {
  /// One wait, to be added or given up.
  package struct Ticket: Sendable {
    fileprivate let number: UInt64
    /// The number of events that are to have been delivered.
    package let eventCount: Int
  }

  private var waiting: [UInt64: (eventCount: Int, waiter: Waiter)] = [:]
  private var lastNumber: UInt64 = 0
  /// No wait has a lower number.
  private var firstNumber: UInt64 = 1

  package init() {}

  /// Returns a ticket for a wait until `eventCount` events were delivered, no fewer than for tickets made before.
  package mutating func makeTicket(eventCount: Int) -> Ticket {
    lastNumber += 1
    return Ticket(number: lastNumber, eventCount: eventCount)
  }

  package mutating func add(_ waiter: Waiter, _ ticket: Ticket) {
    waiting[ticket.number] = (ticket.eventCount, waiter)
    // Others that came later may be over already.
    firstNumber = min(firstNumber, ticket.number)
  }

  /// Takes out a waiter before its wait is over, unless it was taken out or never added.
  package mutating func remove(_ ticket: Ticket) -> Waiter? {
    waiting.removeValue(forKey: ticket.number)?.waiter
  }

  /// Takes out those whose wait is over after `eventCount` events.
  package mutating func takeAll(after eventCount: Int) -> [Waiter] {
    var over: [Waiter] = []
    while !waiting.isEmpty, firstNumber <= lastNumber {
      if let first = waiting[firstNumber] {
        guard first.eventCount <= eventCount else { break }
        waiting[firstNumber] = nil
        over.append(first.waiter)
      }
      firstNumber += 1
    }
    return over
  }
}

extension DeliveryWaiters: Sendable where Waiter: Sendable {}
