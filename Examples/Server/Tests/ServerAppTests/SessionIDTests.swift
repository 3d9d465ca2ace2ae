import ServerApp
import Testing

@Suite struct SessionIDTests {
  @Test func `An identifier is read as it is written`() throws {
    for _ in 0..<1_000 {
      let id = SessionID()
      #expect(SessionID(id.description) == id)
    }
    let small = "0000000000000000000000000000000f"
    #expect(SessionID(small)?.description == small)
  }

  @Test func `Each is another`() {
    #expect(Set((0..<10_000).map { _ in SessionID() }).count == 10_000)
  }

  @Test(arguments: [
    "", "f", "+000000000000000000000000000000f", "-000000000000000000000000000000f",
    "0000000000000000000000000000000g", "0000000000000000000000000000000ff", "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠",
    "000000000000000000000000000000 f", String(repeating: "a", count: 10_000),
  ])
  func `Nothing else is read`(text: String) {
    #expect(SessionID(text) == nil)
  }
}
