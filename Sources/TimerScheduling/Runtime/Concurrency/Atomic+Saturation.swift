import Synchronization

extension Atomic<Int> {
  /// Adds a number that isn't negative. A count that has come to its greatest number stays there.
  package func addSaturated(_ number: Int) {
    var current = load(ordering: .relaxed)
    while true {
      let (sum, overflow) = current.addingReportingOverflow(number)
      let (exchanged, original) = weakCompareExchange(
        expected: current, desired: overflow ? .max : sum, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}
