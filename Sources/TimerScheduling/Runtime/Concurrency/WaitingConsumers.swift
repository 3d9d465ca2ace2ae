/// The tasks that wait for a timer's next tick, in the order in which they came.
///
/// A stream has one consumer, and that common case takes no memory of its own. Two tasks that iterate the
/// same stream are a mistake of the caller's, but none that may lose one of them.
struct WaitingConsumers: Sendable {
  private var first: WaitingConsumer?
  private var others: [WaitingConsumer] = []

  var isEmpty: Bool { first == nil }

  mutating func add(_ consumer: WaitingConsumer) {
    if first == nil {
      first = consumer
    } else {
      others.append(consumer)
    }
  }

  /// Moves the first task, or all of them, to the end of other ones.
  mutating func moveFirst(all: Bool, to woken: inout WaitingConsumers) {
    guard let first else { return }
    woken.add(first)
    if all {
      for consumer in others { woken.add(consumer) }
      self = WaitingConsumers()
    } else {
      self.first = others.isEmpty ? nil : others.removeFirst()
    }
  }

  /// Takes all tasks out.
  mutating func take() -> WaitingConsumers {
    defer { self = WaitingConsumers() }
    return self
  }

  consuming func resumeAll(noting monitor: (any ConsumerMonitor)?) {
    first?.resume(noting: monitor)
    for consumer in others { consumer.resume(noting: monitor) }
  }
}
