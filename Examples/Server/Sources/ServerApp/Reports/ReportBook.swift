package import Foundation

/// The sessions of a period.
package struct Report: Codable, Sendable, Equatable {
  /// When the period ended. It began when the one before ended.
  package var end: Date
  package var sessions: SessionCounts

  package init(end: Date, sessions: SessionCounts) {
    self.end = end
    self.sessions = sessions
  }
}

/// The reports of the last periods.
package actor ReportBook {
  /// The number of reports that are kept.
  package static let limit = 24

  /// The newest last.
  package private(set) var reports: [Report] = []
  private var last = SessionCounts()

  package init() {}

  /// Ends a period, given what there was since the service began.
  package func rotate(at date: Date, _ counts: SessionCounts) {
    reports.append(Report(end: date, sessions: counts - last))
    reports = Array(reports.suffix(Self.limit))
    last = counts
  }
}
