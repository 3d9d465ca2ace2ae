import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Answers of the store that come late, or not at all, and a store whose clock is slow.
extension SemanticsTests {
  @Test("A claim whose answer comes after two thirds of the lease is asked for again before the run begins")
  func lateAnswer() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(30))
    replica.store.answerDelay = { [clock] in clock.letPass(.seconds(11)) }
    await clock.advance(by: .seconds(80))
    #expect(journal.entries == ["a 60.1 begins at 71, missed 0", "a 60.1 done"])
    let claims = replica.store.claims
    let late = try #require(
      claims.firstIndex { $0.answer?.runs.first?.attempt == 1 && $0.request.number > 1 })
    #expect(claims[late + 1].request.number == claims[late].request.number)
    #expect(claims[late + 1].request.isRepeated && claims[late + 1].answer?.runs == claims[late].answer?.runs)
    #expect(try await store.history(of: "job", limit: 10).map(\.outcome) == [.done])
  }

  @Test("A date that is early for the store is run at the store's time")
  func slowStore() async {
    let lags = Mutex(0.0)
    let store = MemoryTimerStore { [clock] in clock.date - lags.withLock(\.self) }
    let replica = makeReplica("a", store: store)
    let begins = Journal<Date>()
    replica.schedule { [clock] _ in begins.note(clock.date) }
    await clock.advance(by: .seconds(30))
    lags.withLock { $0 = 5 }
    await clock.advance(by: .seconds(60))
    #expect(begins.entries == [start + 65])
  }

  @Test("The end of a run is reported again until the store answers")
  func unreportedEnd() async throws {
    let replica = replicaOfPlainRuns("a")
    await clock.advance(by: .seconds(88))
    replica.store.isReachable = false
    await clock.advance(by: .seconds(5))
    #expect(try await store.history(of: "job", limit: 1).first?.outcome == .running)
    replica.store.isReachable = true
    await clock.advance(by: .seconds(5))
    #expect(try await store.history(of: "job", limit: 1).first?.outcome == .done)
  }

  @Test("A replica that can't report the end of a run gives up once the lease has ended")
  func unreportableEnd() async throws {
    let first = replicaOfPlainRuns("a")
    replica("b")
    await clock.advance(by: .seconds(88))
    first.store.isReachable = false
    await clock.advance(by: .seconds(60))
    let questions = first.store.questions
    // The replica goes on to ask for the job, once per lease. For the end of its run it would ask three times
    // per lease.
    await clock.advance(by: .seconds(600))
    #expect(first.store.questions - questions <= 600 / 15)
    #expect(try await store.history(of: "job", limit: 100).last?.outcome == .abandoned)
  }

  /// Starts a replica with a minute job whose runs take 30 s, and don't report their end themselves.
  private func replicaOfPlainRuns(_ name: String) -> TestReplica {
    let replica = makeReplica(name)
    replica.schedule { [clock] _ in try await clock.sleep(for: .seconds(30)) }
    return replica
  }
}
