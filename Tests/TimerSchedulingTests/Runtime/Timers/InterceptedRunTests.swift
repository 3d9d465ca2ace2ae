import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Interceptors that pass the run to a child task, or call it when they must not.
@Suite(.tags(.threads), .limited) struct InterceptedRunTests {
  @Test(.tags(.realClock), .guarantee("G46"))
  func `A run in a child task of its interceptor doesn't overlap with the next one`() async {
    let (runs, latch) = (Journal<String>(), Latch())
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = { tick, body in
      guard tick.index == 0 else { return try await body() }
      async let _: Void = body()
      // The run is under way when this leaves the scope, which waits for it.
      while await runs.next() != "begin 0" {}
    }
    let scheduler = TimerScheduler(configuration: configuration)
    let timer = scheduler.schedule(.every(.microseconds(100)).missedTicks(.burst).limit(2)) { tick in
      runs.note("begin \(tick.index)")
      if tick.index == 0 {
        await latch.wait()
        runs.note("end 0")
      }
    }
    let opening = Task {
      // Leaves time for a second run, which has long been due.
      try await Task.sleep(for: .milliseconds(20))
      latch.open()
    }
    _ = await opening.result
    await timer.waitUntilFinished()
    #expect(runs.entries.prefix(2) == ["begin 0", "end 0"])
  }

  @Test(.guarantee("G55")) func `Calling the run while it is under way stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var configuration = TimerScheduler.Configuration.silent
      configuration.interceptor = { _, body in
        async let first: Void = body()
        async let second: Void = body()
        _ = try await (first, second)
      }
      let scheduler = TimerScheduler(configuration: configuration)
      let timer = scheduler.schedule(.after(.zero)) { _ in await Latch().wait() }
      await timer.waitUntilFinished()
    }
  }

  @Test func `An interceptor may call the run again after it has thrown`() async {
    struct Failure: Error {}
    let (clock, journal) = (VirtualClock(), Journal<String>())
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = { _, body in
      do { try await body() } catch { try await body() }
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let timer = scheduler.schedule(.every(1)) { tick in
      journal.note("run \(tick.index)")
      if journal.entries.count == 1 { throw Failure() }
    }
    await clock.advance(by: .seconds(1))
    #expect(journal.entries == ["run 0", "run 0"])
    #expect(timer.failure == nil)
  }
}
