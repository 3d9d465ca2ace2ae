import Dispatch
import Synchronization
import Testing
import TimerScheduling

/// The order in which a pool takes runs and jobs. No thread works here: the test asks as one worker would.
@Suite struct RunnerStateTests {
  /// The next step of a worker.
  private enum Taken: Equatable { case job, run, leave }

  /// Jobs that wait to be run, from tasks that do nothing.
  private final class JobSource: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func make() -> UnownedJob? {
      Task.detached(executorPreference: self) {}
      return jobs.withLock { $0.popLast() }
    }

    func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// A pool of one worker, which the test is.
  private final class Pool {
    private let source = JobSource()
    private var state = RunnerState<TestRun>(label: "test", width: 1, limit: 1)

    func addRuns(_ count: Int) {
      for _ in 0..<count { _ = state.add(TestRun {}) }
    }

    func addJobs(_ count: Int) {
      for _ in 0..<count {
        if let job = source.make() { _ = state.add(job) }
      }
    }

    /// Takes the next step, as a worker does and, for runs, a runner on it.
    func take() -> Taken {
      while true {
        switch state.step(of: 0).0 {
        case .job(let job):
          source.run(job)
          return .job
        case .runner:
          // The turn of the runs may be over by then.
          if takeRun() { return .run }
        case .end, .leave: return .leave
        }
      }
    }

    /// Asks for a run as a runner does. Returns false if it has to give control back.
    func takeRun() -> Bool { state.takeRun(on: 0).0 != nil }

    /// Takes all runs and jobs, and returns them in turns.
    func takeAll() -> [(Taken, count: Int)] {
      var turns: [(Taken, count: Int)] = []
      while true {
        let taken = take()
        if taken == .leave { return turns }
        if turns.last?.0 == taken { turns[turns.count - 1].count += 1 } else { turns.append((taken, 1)) }
      }
    }
  }

  @Test func `Runs come after the jobs that waited before them, and before those that came later`() {
    let pool = Pool()
    pool.addJobs(2)
    pool.addRuns(3)
    pool.addJobs(2)
    let turns = pool.takeAll()
    #expect(turns.map(\.0) == [.job, .run, .job])
    #expect(turns.map(\.count) == [2, 3, 2])
  }

  @Test func `Jobs have their turn after sixty-four runs, and runs after the jobs that waited then`() throws {
    let pool = Pool()
    pool.addRuns(100)
    pool.addJobs(2)
    let turns = pool.takeAll()
    try #require(turns.map(\.0) == [.run, .job, .run])
    // A turn of runs also ends after 100 µs, which may be sooner.
    #expect((1...64).contains(turns[0].count))
    #expect(turns[1].count == 2)
    #expect(turns[0].count + turns[2].count == 100)
  }

  @Test func `Without jobs all runs are one turn`() {
    let pool = Pool()
    pool.addRuns(1_000)
    #expect(pool.takeAll().map(\.count) == [1_000])
  }

  @Test func `A runner gives control back when the jobs' turn has come`() {
    let pool = Pool()
    pool.addJobs(1)
    pool.addRuns(1)
    _ = pool.take()
    #expect(pool.takeRun())
    #expect(!pool.takeRun())
  }
}
