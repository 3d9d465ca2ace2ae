/// The meaning of each column of a table. It opens by a press, a key or a touch.
struct MeaningsView {
  let meanings: [(title: String, text: String)]

  var html: HTML {
    let items = meanings.map { title, text -> HTML in "<div><dt>\(title)</dt><dd>\(text)</dd></div>" }
    return """
      <details class="meanings"><summary>What the columns mean</summary>
      <dl>
      \(HTML(joining: items))
      </dl></details>
      """
  }

  /// A sentence on a scheduler's lateness.
  static let tolerance =
    "Lateness includes the tolerances of schedules: where 90 s are allowed, 90 s are no trouble."

  static let timers = MeaningsView(meanings: [
    (
      "Timer",
      "Its name or, without one, its number, and its scheduler. A press shows its dates and its last runs."
    ),
    (
      "Schedule",
      "Its interval, rule or date, and its options. \"once, after 30 m\" ticks 30 minutes after it was set."
    ),
    ("State", "Scheduled, running or paused, and since when or by whom."),
    ("Next", "The time until the next date, and the date."),
    (
      "Last run",
      "When the action's last run began, how it ended, and how long it took. A restart of the server forgets it. "
        + "A dash stands for a timer without an action, or without a history."
    ),
    ("Ticks", "The ticks that were taken since the timer was made."),
    ("Missed", "The deadlines that passed without a tick, such as those during a long run."),
    ("Failures", "The errors that the action threw."),
    ("Last lateness", "How long after its deadline the last tick came, with the schedule's tolerance."),
    ("Active, Paused", "A scheduler's live timers."), ("Running", "Its runs of actions that are under way."),
    ("Wakeups", "How often the process was woken. Timers that are due together share one."),
    ("Dropped events", "The events that an observer was too slow for, so that the history lacks them."),
    (
      "Lateness with tolerance: p50, p99, max",
      "The lateness that half of all ticks didn't exceed, 99 of 100, and none. \(tolerance)"
    ),
  ])

  static let jobs = MeaningsView(meanings: [
    (
      "Handler",
      "A press shows its jobs, and a press on a number the jobs that were counted. Handlers are listed that have work, "
        + "or a job below."
    ),
    ("Oldest due", "How long the oldest job waits for a replica. After a minute it is overdue."),
    (
      "Job",
      "Its name and, for a job that was put, its handler. A press shows its payload, its dates and its runs."
    ),
    (
      "State",
      "Waiting, due, running on a replica, paused or failed for good, with the error, and what was asked for besides the "
        + "dates. A date that no replica has taken after a minute is overdue: none lives that has the handler and can "
        + "read the schedule, or all are busy."
    ),
    (
      "Last run",
      "When the newest run began, how it ended, and how long it took, if it is one of the newest "
        + "\(ClusterOverview.historyLength.grouped) of the store. Otherwise the last date."
    ),
    ("Next date", "The next date of the schedule."),
    ("Done, Failed", "The dates whose run ended well, and those whose last attempt failed."),
    ("Missed", "The dates that were left out."),
    ("Abandoned", "The runs that lost their replica."),
    ("Lease", "The time that a replica has to renew its lease, before others may begin its runs again."),
  ])
}
