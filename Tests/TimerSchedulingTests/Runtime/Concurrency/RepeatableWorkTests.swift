import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G113")) struct RepeatableWorkTests {
  private let work = Shared()

  private final class Shared: Sendable {
    private let work = RepeatableWork()
    /// Guards the number of runs, and the number of simultaneous runs.
    let runs = Lock((total: 0, current: 0, most: 0))

    func request() -> Bool { work.request() }
    func perform(_ body: () -> Void) { work.perform(body) }
  }

  @Test func `Requests during a run are followed by one more`() {
    #expect(work.request())
    #expect(!work.request())
    var runCount = 0
    work.perform {
      runCount += 1
      if runCount == 1 { for _ in 0..<5 { #expect(!work.request()) } }
    }
    #expect(runCount == 2)
    #expect(work.request())
  }

  @Test func `Without a request there is no run`() {
    work.perform { Issue.record("It wasn't asked for.") }
  }

  @Test(.tags(.threads)) func `However many threads ask, runs come one at a time`() async {
    await Threads.run(4) { [work] _ in
      for _ in 0..<5_000 where work.request() {
        work.perform {
          work.runs.withLock { runs in
            runs.total += 1
            runs.current += 1
            runs.most = max(runs.most, runs.current)
          }
          work.runs.withLock { $0.current -= 1 }
        }
      }
    }
    let runs = work.runs.withLock { $0 }
    #expect(runs.most == 1)
    #expect((1...20_000).contains(runs.total))
    #expect(work.request())
  }
}
