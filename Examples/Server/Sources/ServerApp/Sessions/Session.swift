/// A session as its client sees it.
package struct Session: Codable, Sendable, Equatable {
  package var id: String
  package var user: String
  /// The number of requests since the session was made.
  package var requests: Int

  package init(id: String, user: String, requests: Int) {
    self.id = id
    self.user = user
    self.requests = requests
  }
}
