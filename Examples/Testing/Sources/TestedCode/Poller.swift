/// Asks until there is an answer, every two seconds. It sleeps by itself, and takes no clock.
package func poll<Answer>(_ ask: () async -> Answer?) async throws -> Answer {
  while true {
    if let answer = await ask() { return answer }
    try await Task.sleep(for: .seconds(2))
  }
}
