/// The rules by which a store finds its records of a date.
extension DateRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    let now = try tables.now
    let pauses = try tables.pauses()
    let row = try tables.knownJob(job).map { known in
      var row = known
      row.leaveOut(pauses)
      let pause = pauses.first { $0.ended == nil && $0.concerns(row.job) }
      return Row(
        schedule: row.job.schedule, from: row.from, until: row.until, nextDate: row.job.nextTime,
        isPaused: row.job.isPaused || pause != nil,
        pausedBy: row.job.isPaused ? row.job.pausedBy : pause?.by ?? row.job.pausedBy,
        pauseReason: row.job.isPaused ? row.job.pauseReason : pause?.reason ?? row.job.pauseReason,
        skipped: row.skipped, asked: row.asked,
        isServed: try tables.sessions(serving: row).values.contains { $0.isLive(now) })
    }
    return Answer(now: now, row: row, runs: try tables.runs(of: job, around: date))
  }
}

extension ClusterRunRecord {
  /// Whether the run accounts for a date, was for it, or has left it out.
  func concerns(_ date: StoreTime) -> Bool {
    if let from, let through, from <= date, date <= through { return true }
    return scheduledTime == date || skipped.contains { $0.contains(date) }
  }
}
