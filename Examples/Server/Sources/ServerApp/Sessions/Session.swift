/// What a client is told of its session.
package struct Session: Codable, Sendable, Equatable {
  package var id: String
  package var user: String
  /// How many requests there were since the session was made.
  package var requests: Int

  package init(id: String, user: String, requests: Int) {
    self.id = id
    self.user = user
    self.requests = requests
  }
}
