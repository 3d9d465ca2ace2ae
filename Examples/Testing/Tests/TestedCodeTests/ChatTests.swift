import TestedCode
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Test func `A chat is quiet a minute after its last message`() async {
  let clock = VirtualClock()
  let chat = Chat(on: TimerScheduler(clock: clock))
  let (connection, peer) = AsyncStream.makeStream(of: String.self)
  let reading = Task { await chat.read(connection) }
  for message in ["hello", "anybody there?"] {
    peer.yield(message)
    await clock.advance(by: 59)
    #expect(await chat.messages.last == message)
    #expect(await chat.isQuiet == false)
  }
  await clock.advance(by: 1)
  #expect(await chat.isQuiet)
  reading.cancel()
}
