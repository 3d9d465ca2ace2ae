/// A request to keep the result of a step with the date of a run. Without a result, it asks for it.
package struct StepRequest: RowCall, Hashable {
  package static let name = "step"
  /// The greatest number of bytes of a date's results and their names.
  static let limit = 65_536

  package enum Verdict: String, Sendable, Codable {
    /// The result is kept or, without one, there is none.
    case written
    /// There is a result already.
    case before
    /// The run doesn't hold its job.
    case refused
    /// With the result, there would be too many bytes.
    case tooLarge
  }

  package struct Answer: Sendable, Hashable, Codable {
    package var verdict: Verdict
    /// The result that there is already.
    package var value: String?
  }

  package var token: Int64
  package var step: String
  /// The result as JSON.
  package var value: String?

  package init(token: Int64, step: String, value: String? = nil) {
    (self.token, self.step, self.value) = (token, step, value)
  }
}
