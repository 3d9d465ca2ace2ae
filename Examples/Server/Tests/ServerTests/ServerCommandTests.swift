import ArgumentParser
import Foundation
import Testing

@testable import Server

@Suite struct ServerCommandTests {
  private static let times = [
    "--session-timeout", "--refresh-interval", "--upstream-latency", "--drain-limit",
  ]
  private static let token = "0123456789abcdef"

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

  @Test(arguments: [
    (["--port", "65536"], "0 to 65535"), (["--session-limit=-1"], "-1 was given"),
    (["--session-limit", "0"], "1 or more"), (["--connection-limit", "0"], "1 or more"),
    (["--connection-limit", "9223372036854775807"], "1000000 or less"),
    (["--trusted-proxy", "127.0.0.1"], "ADMIN_TOKEN"), (["--allowed-host", "timers.example"], "ADMIN_TOKEN"),
    (["--admin-token", ""], "16 or more"), (["--admin-token", "secret"], "16 or more"),
    (["--admin-token", "ada:secret"], "\"ada\""), (["--trusted-proxy", "nginx"], "\"nginx\" was given"),
    (["--metrics-file", "/nonexistent/metrics"], "/nonexistent/metrics"),
    (["--metrics-file", "/tmp"], "/tmp"),
  ])
  func `What can't be is refused with a sentence`(arguments: [String], word: String) throws {
    #expect(try messageOfRefusal(arguments).contains(word))
  }

  @Test(arguments: ["0.0.0.0", "::", "10.0.0.3", "server.example", "127.example"])
  func `Without a token, only this machine may reach the server`(host: String) throws {
    #expect(try messageOfRefusal(["--host", host]).contains("ADMIN_TOKEN"))
    _ = try ServerCommand.parse(["--host", host, "--admin-token", Self.token])
  }

  @Test(arguments: ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
  func `On this machine no token is needed`(host: String) throws {
    _ = try ServerCommand.parse(["--host", host])
  }

  @Test func `A folder for the metrics may have a blank in its name`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "my metrics \(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try ServerCommand.parse(["--metrics-file", folder.appending(path: "a b").path(percentEncoded: false)])
  }

  @Test func `Tokens with names, proxies and limits are taken`() throws {
    _ = try ServerCommand.parse([
      "--admin-token", "ada:\(Self.token)", "--admin-token", "grace:\(Self.token)", "--trusted-proxy",
      "10.0.0.0/8",
      "--trusted-proxy", "::1", "--drain-limit", "0", "--connection-limit", "1", "--public-page",
    ])
  }

  private func messageOfRefusal(_ arguments: [String]) throws -> String {
    let error = try #require(throws: (any Error).self) { try ServerCommand.parse(arguments) }
    return ServerCommand.message(for: error)
  }
}
