import Foundation
import Testing
import TimerScheduling

/// The number of workers. The table takes all runs to be long here, as it does before its first estimate.
@Suite struct WorkerTableTests {
  /// A table whose workers have no threads: the test decides what they do.
  private final class Pool {
    var table: WorkerTable
    var waitingCount = 0
    var limitReports = 0

    init(width: Int, limit: Int) { table = WorkerTable(label: "test", width: width, limit: limit) }

    /// Adds a run, and returns the worker to start, and whether a check is armed.
    func add() -> (start: Int?, isCheckArmed: Bool) {
      waitingCount += 1
      let orders = table.settle(waitingCount: waitingCount)
      return (orders.start, orders.checkDelay != nil)
    }

    /// A worker takes a run. Returns a further worker to start.
    func take(on worker: Int) -> Int? {
      table.progressed(worker)
      waitingCount -= 1
      return table.took(on: worker, waitingCount: waitingCount).start
    }

    @discardableResult
    func leave(_ worker: Int) -> WorkerOrders { table.leave(worker, waitingCount: waitingCount) }

    func check() -> [Int] {
      let (starts, orders) = table.check(waitingCount: waitingCount)
      if orders.reportsLimit { limitReports += 1 }
      return starts + [orders.start].compactMap(\.self)
    }
  }

  @Test func `A worker is started for the first runs, and others while runs wait that none is starting for`()
  {
    let pool = Pool(width: 3, limit: 3)
    let starts = (0..<5).map { _ in pool.add().start }
    #expect(starts == [0, 1, 2, nil, nil])
    let isIdle = pool.table.isIdle
    #expect(!isIdle)
  }

  @Test func `A worker that leaves is the next to start`() {
    let pool = Pool(width: 2, limit: 2)
    #expect(pool.add().start == 0)
    #expect(pool.take(on: 0) == nil)
    pool.leave(0)
    let isIdle = pool.table.isIdle
    #expect(isIdle)
    #expect(pool.add().start == 0)
  }

  @Test func `No check is made where no worker may be added`() {
    let pool = Pool(width: 1, limit: 1)
    #expect(!pool.add().isCheckArmed)
    #expect(!pool.add().isCheckArmed)
  }

  @Test func `A check is armed once a run waits that no worker is starting for`() {
    let pool = Pool(width: 1, limit: 3)
    #expect(pool.add() == (0, false))
    #expect(pool.add() == (nil, true))
    #expect(pool.add() == (nil, false))
  }

  @Test func `Blocked workers get others in their place, up to the limit`() {
    let pool = Pool(width: 2, limit: 5)
    for _ in 0..<10 { _ = pool.add() }
    _ = (pool.take(on: 0), pool.take(on: 1))
    // The first check counts the runs taken since it was armed, by workers that had just started.
    _ = pool.check()
    let second = pool.check()
    #expect(second == [2, 3])
    _ = (pool.take(on: 2), pool.take(on: 3))
    _ = pool.check()
    let third = pool.check()
    #expect(third == [4])
    _ = pool.take(on: 4)
    _ = pool.check()
    let fourth = pool.check()
    #expect(fourth == [])
    #expect(pool.table.blockedCount == 5)
    // Reported once, not each time a check finds that no worker may be added.
    #expect(pool.limitReports == 1)
  }

  @Test func `When blocked workers go on, as many leave as are too many`() {
    let pool = Pool(width: 1, limit: 2)
    for _ in 0..<5 { _ = pool.add() }
    _ = pool.take(on: 0)
    _ = pool.check()
    #expect(pool.check() == [1])
    _ = pool.take(on: 1)
    var isCrowded = pool.table.isCrowded
    #expect(!isCrowded)
    // The first goes on.
    _ = pool.take(on: 0)
    isCrowded = pool.table.isCrowded
    #expect(isCrowded)
    pool.leave(1)
    isCrowded = pool.table.isCrowded
    #expect(!isCrowded)
  }

  @Test func `A worker that takes runs isn't blocked`() {
    let pool = Pool(width: 1, limit: 3)
    for _ in 0..<20 { _ = pool.add() }
    for _ in 0..<10 {
      _ = pool.take(on: 0)
      #expect(pool.check() == [])
    }
  }

  @Test func `The time in which a thread is woken for a worker doesn't make runs look long`() {
    let pool = Pool(width: 2, limit: 2)
    // Looked at several times, as the system may take the processor away between two runs.
    let isOneEnough = (0..<20).contains { _ in
      let started = (0..<64).compactMap { _ in pool.add().start }
      Thread.sleep(forTimeInterval: 0.02)
      for run in 0..<64 { _ = pool.take(on: started[run % started.count]) }
      for worker in started.dropFirst() { pool.leave(worker) }
      let second = pool.add().start
      _ = pool.take(on: started[0])
      for worker in [started[0], second].compactMap(\.self) {
        pool.table.progressed(worker)
        pool.leave(worker)
      }
      return second == nil
    }
    #expect(isOneEnough)
  }
}
