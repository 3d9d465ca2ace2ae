/// The limits that a job is put with for its dates.
package struct JobOptions: Sendable, Hashable, Codable {
  /// The number of attempts, in place of those of the handler.
  package var attempts: Int?
  /// The microseconds from a date on in which it may be begun.
  package var within: Int64?

  package init(attempts: Int? = nil, within: Int64? = nil) {
    (self.attempts, self.within) = (attempts, within)
  }

  /// Whether a date is too old to be begun.
  func isTooOld(_ date: StoreTime, at now: StoreTime) -> Bool {
    within.map { now - date > .microseconds($0) } ?? false
  }
}
