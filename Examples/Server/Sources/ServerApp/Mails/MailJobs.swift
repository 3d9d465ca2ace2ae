import Synchronization
import TimerScheduling
package import TimerSchedulingCluster

/// The mails, each of which is a job of a cluster, and a job that sends one each minute.
///
/// The store is in memory, so this process is the only replica, and a restart forgets the jobs. With
/// `SQLiteTimerStore` or `PostgresTimerStore` replicas share them.
package final class MailJobs: Sendable {
  /// The number of mails that may wait.
  package static let limit = 1_000

  package let cluster: TimerCluster
  private let server = MailServer()
  private let count = Atomic(0)

  /// Creates the cluster. A scheduler for it alone ends its runs when the HTTP server has ended.
  init(on scheduler: TimerScheduler) {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler, historyCount: 10_000)
  }

  /// Begins to send mails.
  package func begin() {
    cluster.handle(.mail) { [server] mail, _ in try await server.send(mail) }
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "summary") { [server] _ in
      try await server.send(Mail(to: "operators@example.org"))
    }
  }

  /// Puts a job for a mail. Returns its name, or nil if too many mails wait.
  func put(_ mail: Mail) async throws -> String? {
    guard try await cluster.jobs(limit: Self.limit + 1).count <= Self.limit else { return nil }
    let number = count.add(1, ordering: .relaxed).newValue
    return try await cluster.put(.mail, mail, name: "mail \(number) to \(mail.to)")
  }
}
