import Synchronization

extension Atomic<Int> {
  /// Adds a number that isn't negative. At the greatest number the count stays there.
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
