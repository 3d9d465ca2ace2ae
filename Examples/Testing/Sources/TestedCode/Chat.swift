import TimerScheduling

/// Collects the messages of a connection, and says when it has been quiet.
package actor Chat {
  package private(set) var messages: [String] = []
  package private(set) var isQuiet = false
  private let scheduler: TimerScheduler

  package init(on scheduler: TimerScheduler) { self.scheduler = scheduler }

  package func read(_ connection: AsyncStream<String>) async {
    for await message in connection {
      messages.append(message)
      isQuiet = false
      scheduler.schedule(after: 60, name: "quiet", owner: self) { chat, _ in chat.isQuiet = true }
    }
  }
}
