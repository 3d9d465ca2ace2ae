import ArgumentParser
import Testing

@testable import Server

@Suite struct ServerCommandTests {
  private static let times = ["--session-timeout", "--refresh-interval", "--upstream-latency"]

  @Test(arguments: times, ["1e30", "1e300", "1000000001"])
  func `A time that is too long is refused, with what is allowed`(option: String, seconds: String) throws {
    let message = try messageOfRefusal([option, seconds])
    #expect(message.contains("at most 1e9 seconds"))
    #expect(message.contains("\(try #require(Double(seconds))) was given"))
  }

  @Test(arguments: times, ["nan", "inf", "-1"])
  func `What isn't a time is refused`(option: String, seconds: String) throws {
    #expect(try messageOfRefusal(["\(option)=\(seconds)"]).contains("was given"))
  }

  @Test(arguments: times) func `The longest time is taken`(option: String) throws {
    _ = try ServerCommand.parse([option, "1e9"])
  }

  @Test(arguments: [["--admin-token", ""], ["--port", "65536"]])
  func `What can't be is refused`(arguments: [String]) throws {
    #expect(throws: (any Error).self) { try ServerCommand.parse(arguments) }
  }

  private func messageOfRefusal(_ arguments: [String]) throws -> String {
    let error = try #require(throws: (any Error).self) { try ServerCommand.parse(arguments) }
    return ServerCommand.message(for: error)
  }
}
