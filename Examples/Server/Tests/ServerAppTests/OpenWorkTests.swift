import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ServerApp
import Testing

/// The work that the log names as under way when the service ends.
@Suite struct OpenWorkTests {
  @Test func `A path stands on one line, with escapes, and isn't long`() throws {
    let work = OpenWork()
    let channel = EmbeddedChannel(handler: ConnectionLimits(times: ConnectionTimes(), work: work))
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    let path = "/a\u{85}info Drained\u{2028}" + String(repeating: "x", count: 10_000)
    try channel.writeInbound(
      HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)))
    let description = try #require(work.descriptions.first)
    #expect(description.hasPrefix("GET \"/a\\u{85}info Drained\\u{2028}xx"))
    #expect(description.hasSuffix("…\" (cut, 10016 characters)"))
    #expect(description.count < 300)
  }
}
