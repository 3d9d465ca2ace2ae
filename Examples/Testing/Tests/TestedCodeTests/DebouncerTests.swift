import TestedCode
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Test func `A debouncer passes on the last value, once it is quiet`() async {
  let clock = VirtualClock()
  let received = Received()
  let debouncer = Debouncer(on: TimerScheduler(clock: clock), delay: .milliseconds(300)) { value in
    await received.append(value)
  }
  for letter in ["h", "he", "hel"] {
    debouncer.send(letter)
    await clock.advance(by: .milliseconds(299))
  }
  #expect(await received.values == [])
  await clock.advance(by: .milliseconds(1))
  #expect(await received.values == ["hel"])
}

actor Received {
  private(set) var values: [String] = []

  func append(_ value: String) { values.append(value) }
}
