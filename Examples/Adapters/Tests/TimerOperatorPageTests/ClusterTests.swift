import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The page's section on a cluster.
struct ClusterTests {
  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))

  private func body(_ cluster: TimerCluster?) async throws -> String {
    let fixture = Fixture(cluster: cluster)
    return try await fixture.app.test(.live) { client in
      try await client.execute(uri: "/timers", method: .get) { String(buffer: $0.body) }
    }
  }

  @Test func `The page shows a cluster's jobs and their last runs`() async throws {
    let scheduler = TimerScheduler(clock: clock)
    let cluster = TimerCluster(store: MemoryTimerStore(), lease: .seconds(15))
    scheduler.schedule(.every(.seconds(60), starting: .aligned), name: "<report>", in: cluster) { run in
      if run.scheduledDate == Date(timeIntervalSince1970: 1_800_000_060) { throw NoPaper() }
    }
    await clock.advance(by: .seconds(130))
    let page = try await body(cluster)
    #expect(page.contains("Jobs of the cluster"))
    #expect(page.contains("&lt;report&gt;") && !page.contains("<report>"))
    #expect(page.contains("2027-01-15T08:02:00Z") && page.contains("2027-01-15T08:03:00Z"))
    #expect(page.contains("NoPaper()") && page.contains(">failed<") && page.contains(">done<"))
  }

  @Test func `The page comes without an answer of the store, and says so`() async throws {
    let store = PostgresTimerStore { _, _ in throw NoDatabase() }
    let page = try await body(TimerCluster(store: store, lease: .seconds(15)))
    #expect(page.contains("can't be asked") && page.contains("NoDatabase()"))
    #expect(page.contains("id=\"timers\""))
  }

  @Test func `Without a cluster there is no section`() async throws {
    #expect(try await !body(nil).contains("id=\"cluster\""))
  }
}

private struct NoPaper: Error {}
private struct NoDatabase: Error {}
