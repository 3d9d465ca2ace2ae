/// The numbers of sessions that began, expired and were deleted.
package struct SessionCounts: Codable, Sendable, Equatable {
  package var created = 0
  package var expired = 0
  package var deleted = 0

  package init(created: Int = 0, expired: Int = 0, deleted: Int = 0) {
    self.created = created
    self.expired = expired
    self.deleted = deleted
  }

  package static func - (left: SessionCounts, right: SessionCounts) -> SessionCounts {
    SessionCounts(
      created: left.created - right.created, expired: left.expired - right.expired,
      deleted: left.deleted - right.deleted)
  }
}
