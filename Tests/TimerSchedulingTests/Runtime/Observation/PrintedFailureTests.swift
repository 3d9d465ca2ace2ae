import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The lines that are printed for actions that fail.
@Suite(.guarantee("G62", "G74")) struct PrintedFailureTests {
  enum Setup: CaseIterable, Codable { case asItIs, withObserver, withoutPrinting }

  @Test(arguments: Setup.allCases)
  func `The first error of each timer's action is printed unless an observer is told`(setup: Setup)
    async throws
  {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [setup] in
      await setup.run()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains("TimerScheduling:") }
    switch setup {
    case .asItIs:
      #expect(lines.count == 2)
      #expect(lines.contains { $0.contains("timer \"report\" has thrown OutOfPaper(). Its later errors") })
    case .withObserver, .withoutPrinting:
      #expect(lines.isEmpty)
    }
  }

  // FAULTS I4: the main actor is kept by what stands for the work of `main`.
  @Test(.tags(.realClock))
  func `A line says that the first run of an action waits for the main actor`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scheduler = TimerScheduler()
      await MainActor.run {
        scheduler.schedule(every: 0.01, name: "progress") { _ in }
        scheduler.schedule(every: 0.01, name: "elsewhere") { @concurrent _ in }
        scheduler.schedule(every: 0.02, name: "another") { _ in }
        // The line comes after a second.
        Thread.sleep(forTimeInterval: 3)
      }
      await scheduler.shutdownAndWait()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains("TimerScheduling:") }
    #expect(lines.count == 1)
    let words = "The action of timer \"progress\" has waited for the main actor for 1.0 seconds."
    #expect(lines.first?.contains(words) == true)
    #expect(lines.first?.contains("{ @concurrent tick in … }") == true)
  }

  @Test(.tags(.realClock), arguments: [false, true])
  func `No line comes if the first run has begun, or if none are printed`(isSilent: Bool) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [isSilent] in
      let scheduler = TimerScheduler(configuration: isSilent ? .silent : .init())
      let hasRun = Latch()
      await MainActor.run {
        _ = scheduler.schedule(every: 0.01, name: "progress") { _ in hasRun.open() }
        if isSilent { Thread.sleep(forTimeInterval: 1.5) }
      }
      let start = ContinuousClock.now
      await hasRun.wait()
      // On a slow machine the line may come.
      if !isSilent, ContinuousClock.now - start > .seconds(0.5) { StandardError.print("slow") }
      await MainActor.run { Thread.sleep(forTimeInterval: 1.5) }
      await scheduler.shutdownAndWait()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("slow") || !output.contains("TimerScheduling:"))
  }

  @Test func `With an observer, the error of a run that outlives its timer is printed`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scheduler = TimerScheduler(configuration: .init(observer: NoObserver()))
      let (begun, mayFail) = (Latch(), Latch())
      let timer = scheduler.schedule(.every(3600), name: "report") { _ in
        begun.open()
        await mayFail.wait()
        throw Sentence()
      }
      timer.fire()
      await begun.wait()
      timer.cancel()
      mayFail.open()
      await scheduler.shutdownAndWait()
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("timer \"report\" has thrown The paper is out. The timer had ended before."))
  }
}

extension PrintedFailureTests.Setup {
  fileprivate func run() async {
    var configuration = TimerScheduler.Configuration()
    if self == .withObserver { configuration.observer = NoObserver() }
    if self == .withoutPrinting { configuration.printsFailures = false }
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    scheduler.schedule(.every(1), name: "report") { _ in throw OutOfPaper() }
    scheduler.schedule(.every(1)) { _ in throw OutOfPaper() }
    await clock.advance(by: .seconds(5))
  }
}

private struct OutOfPaper: Error {}

/// An error that describes itself by a sentence.
private struct Sentence: Error, CustomStringConvertible { let description = "The paper is out." }

private struct NoObserver: TimerObserver {
  func observe(_ event: TimerEvent) {}
}
