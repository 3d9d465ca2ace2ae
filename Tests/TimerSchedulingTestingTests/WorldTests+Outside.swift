import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Tasks that a world must not take for its own: those of other tests.
extension WorldTests {
  @Test func `V3: A task from outside that a clock's task resumes stays outside`() async {
    for _ in 0..<rounds(50) {
      let time = VirtualTime.reporting(settlingTimeout: .milliseconds(50))
      time.scheduler.schedule(.every(1)) { _ in }
      let (hasBegun, isOver) = (Box<Bool>(), Box<Bool>())
      let (gate, opener) = AsyncStream.makeStream(of: Never.self)
      // As another test that waits for its turn.
      let stranger = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            returning: Task {
              hasBegun.value = true
              for await _ in gate {}
              while isOver.value == nil { await Task.yield() }
            })
        }
      }
      while hasBegun.value == nil { await Task.yield() }
      opener.finish()
      await time.clock.advance(by: .seconds(100))
      isOver.value = true
      await stranger.value
      #expect(time.lines.entries.isEmpty)
      if !time.lines.entries.isEmpty { break }
    }
  }

  @Test func `V3: A task that begins outside while a clock is made stays outside`() async {
    for _ in 0..<rounds(5_000) {
      let lines = Journal<String>()
      let (gate, opener) = AsyncStream.makeStream(of: Never.self)
      let (begins, hasGoneOn) = ([Box<Bool>(), Box<Bool>()], DispatchSemaphore(value: 0))
      let begin: @Sendable (Int) -> Void = { side in
        begins[side].value = true
        while begins[1 - side].value == nil {}
      }
      async let stranger: Task<Void, Never> = withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          begin(0)
          let task = Task {
            for await _ in gate {}
            hasGoneOn.signal()
          }
          continuation.resume(returning: task)
        }
      }
      // The thread sanitizer doesn't see that a continuation orders two threads if it is resumed before its
      // task waits.
      let made = Box<VirtualClock>()
      async let hasMade: Void = withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          begin(1)
          made.value = VirtualClock(settlingTimeout: .seconds(60), report: lines.note)
          continuation.resume()
        }
      }
      _ = await (stranger, hasMade)
      guard let clock = made.value else { return }
      // Keeps the clock's thread, so that only a task outside of its world goes on.
      await clock.addTask {
        opener.finish()
        block(on: hasGoneOn)
      }.value
      #expect(lines.entries.isEmpty)
      if !lines.entries.isEmpty { break }
    }
  }

  @Test func `V3: A task from before the first clock of a process stays outside`() async {
    await #expect(processExitsWith: .success) {
      let (gate, opener) = AsyncStream.makeStream(of: Never.self)
      let (waits, hasGoneOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      _ = Task {
        waits.signal()
        for await _ in gate {}
        hasGoneOn.signal()
      }
      block(on: waits)
      // By now it is suspended.
      usleep(20_000)
      let lines = Journal<String>()
      let clock = VirtualClock(settlingTimeout: .seconds(60), report: lines.note)
      // Keeps the clock's thread, so that only a task outside of its world goes on.
      await clock.addTask {
        opener.finish()
        block(on: hasGoneOn)
      }.value
      precondition(lines.entries.isEmpty)
    }
  }

  @Test func `V3: A task from outside that a clock's task lets into an actor stays outside`() async {
    for _ in 0..<rounds(50) {
      let (time, room) = (VirtualTime.reporting(settlingTimeout: .seconds(1)), Room())
      let (isInside, comes) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let (hasBegun, isOver) = (Box<Bool>(), Box<Bool>())
      let stranger = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let task = Task {
            block(on: isInside)
            comes.signal()
            await room.enter()
            // Goes on where the actor has been, on the thread of the clock's tasks.
            let clock = VirtualClock()
            hasBegun.value = true
            while isOver.value == nil { await Task.yield() }
            await clock.advance(by: .seconds(1))
          }
          continuation.resume(returning: task)
        }
      }
      await time.clock.addTask {
        await room.stay {
          isInside.signal()
          block(on: comes)
          usleep(1000)
        }
      }.value
      while hasBegun.value == nil { await Task.yield() }
      await time.clock.advance(by: .seconds(100))
      isOver.value = true
      await stranger.value
      #expect(time.lines.entries.isEmpty)
      if !time.lines.entries.isEmpty { break }
    }
  }
}

private func block(on gate: DispatchSemaphore) { gate.wait() }

private actor Room {
  private var visitCount = 0

  /// Does something: the optimizer leaves out a call of an actor that does nothing, with its change of
  /// executors.
  func enter() { visitCount += 1 }
  func stay(_ body: () -> Void) { body() }
}
