import Testing
import TimerScheduling

/// The number of workers.
@Suite struct WorkerTableTests {
  /// A pool whose workers have no threads: the test decides what they do.
  private final class Pool {
    private(set) var table: WorkerTable
    private(set) var limitReports = 0

    init(width: Int, limit: Int) { table = WorkerTable(width: width, limit: limit) }

    func add(_ count: Int) { _ = table.add(count) }

    /// Makes a worker's step. Returns whether the worker stays, and a further worker to start.
    func step(_ worker: Int) -> (stays: Bool, start: Int?) {
      let (step, orders) = table.step(of: worker, isJobNext: false)
      return (step != .leave, orders.start)
    }

    /// A worker makes its step and takes a run. Returns the further workers to start.
    @discardableResult
    func take(on worker: Int) -> [Int] {
      let step = step(worker)
      #expect(step.stays)
      return [step.start, takeAgain(on: worker)].compactMap(\.self)
    }

    /// The runner on a worker takes a run. Returns a further worker to start.
    func takeAgain(on worker: Int) -> Int? { table.take(on: worker, isRunNext: true)?.start }

    /// A worker makes its step and takes a job. Returns a further worker to start.
    func takeJob(on worker: Int) -> Int? { table.step(of: worker, isJobNext: true).1.start }

    /// Makes a check after so many nanoseconds, and returns the worker to start.
    @discardableResult
    func check(after nanoseconds: UInt64 = 2_000_000) -> Int? {
      let orders = table.check(after: nanoseconds)
      if orders.reportsLimit { limitReports += 1 }
      return orders.start
    }
  }

  @Test func `A worker that takes a run or a job starts another for the rest, not for what it takes`() {
    let runs = Pool(width: 3, limit: 3)
    runs.add(2)
    #expect(runs.take(on: 0) == [1])
    #expect(runs.take(on: 1) == [])
    let pool = Pool(width: 3, limit: 3)
    pool.add(3)
    #expect(pool.take(on: 0) == [1, 2])
    let jobs = Pool(width: 3, limit: 3)
    jobs.add(4)
    #expect(jobs.takeJob(on: 0) == 1)
    #expect(jobs.takeJob(on: 0) == 2)
  }

  // MARK: Blocked workers

  @Test func `Blocked workers get others in their place, up to the limit`() {
    let pool = Pool(width: 2, limit: 5)
    pool.add(10)
    #expect(pool.take(on: 0) == [1])
    pool.take(on: 1)
    // A worker isn't taken to be blocked before it has taken nothing in two checks.
    #expect(pool.check() == nil)
    #expect(pool.check() == 2)
    #expect(pool.take(on: 2) == [3])
    pool.take(on: 3)
    pool.check()
    #expect(pool.check() == 4)
    pool.take(on: 4)
    pool.check()
    #expect(pool.check() == nil)
    #expect(pool.table.blockedCount == 5)
    pool.check()
    // Reported once, not each time a check finds that no worker may be added.
    #expect(pool.limitReports == 1)
  }

  @Test func `Checks become rarer while work waits and no worker is blocked`() {
    let pool = Pool(width: 1, limit: 3)
    pool.add(20)
    pool.take(on: 0)
    let delays = (0..<4).map { _ in
      _ = pool.takeAgain(on: 0)
      pool.check()
      return pool.table.checkDelay
    }
    #expect(delays == [4_000_000, 8_000_000, 8_000_000, 8_000_000])
    pool.check()
    #expect(pool.table.blockedCount == 1)
    #expect(pool.table.checkDelay == 2_000_000)
  }

  // MARK: The wanted number

  /// Returns a pool of four workers, of which two have taken so many runs together since the check was armed.
  private func pool(taken count: Int, waiting: Int = 5) -> Pool {
    let pool = Pool(width: 4, limit: 8)
    pool.add(count + waiting)
    pool.take(on: 0)
    pool.take(on: 1)
    for run in 2..<count { _ = pool.takeAgain(on: run % 2) }
    return pool
  }

  @Test(arguments: [(7_999_000, 1), (8_000_000, 4)] as [(UInt64, Int)])
  func `Runs of less than eight microseconds get one worker`(nanoseconds: UInt64, wanted: Int) {
    let pool = pool(taken: 2_000)
    pool.check(after: nanoseconds)
    #expect(pool.table.wantedCount == wanted)
  }

  @Test(arguments: [(7_999_000, 1), (8_000_000, 4)] as [(UInt64, Int)])
  func `Runs of eight microseconds and more get several workers again`(nanoseconds: UInt64, wanted: Int) {
    let pool = pool(taken: 2_000, waiting: 2_000)
    pool.check(after: 0)
    #expect(pool.table.wantedCount == 1)
    #expect(!pool.step(1).stays)
    for _ in 0..<1_000 { _ = pool.takeAgain(on: 0) }
    pool.check(after: nanoseconds)
    #expect(pool.table.wantedCount == wanted)
  }
}
