import Testing
import TimerOperatorPage

@Suite struct ValueTests {
  // seconds   0    1    2    3 …  10   11   12
  // looks     xxxxx                    x
  @Test func `A look that takes long is followed by a long pause`() {
    var budget = LookBudget()
    #expect(budget.allowsLook(at: .zero))

    budget.noteLook(from: .seconds(1), to: .seconds(2))
    #expect(!budget.allowsLook(at: .seconds(2)))
    #expect(!budget.allowsLook(at: .milliseconds(10_999)))
    #expect(budget.allowsLook(at: .seconds(11)))

    budget.noteLook(from: .seconds(11), to: .milliseconds(11_040))
    #expect(budget.allowsLook(at: .seconds(12)))
  }

  @Test func `On a busy machine, where looks take long, one is made every half a minute`() {
    var budget = LookBudget()
    budget.noteLook(from: .seconds(1), to: .seconds(15))
    #expect(!budget.allowsLook(at: .seconds(30)))
    #expect(budget.allowsLook(at: .seconds(31)))
    budget.noteLook(from: .seconds(31), to: .seconds(71))
    #expect(budget.allowsLook(at: .seconds(71)))
  }

  @Test func `A secret matches itself alone`() {
    let secret = Secret("sesame")
    #expect(secret.matches("sesame"))
    for other in ["", "s", "sesam", "sesamE", "sesame ", "sesamesesame", "Sesame", "sésame"] {
      #expect(!secret.matches(other))
    }
  }

  @Test(arguments: [
    (Duration.zero, "0 µs"), (.microseconds(84), "84 µs"), (.microseconds(999), "999 µs"),
    (.microseconds(1_250), "1.2 ms"), (.milliseconds(40), "40.0 ms"), (.milliseconds(999), "999 ms"),
    (.milliseconds(3_000), "3.0 s"),
  ])
  func `A lateness has a unit that fits`(lateness: Duration, text: String) {
    #expect(lateness.abbreviated == text)
  }

  @Test(arguments: [
    (Duration.seconds(-1), "0.0 s"), (.milliseconds(4_290), "4.2 s"), (.milliseconds(59_999), "59.9 s"),
    (.seconds(60), "1:00"), (.seconds(3_599), "59:59"), (.seconds(3_725), "1:02:05"),
    (.seconds(360_000), "100:00:00"),
    (.seconds(Int64.max), "2562047788015215:30:07"),
  ])
  func `A countdown is short`(remaining: Duration, text: String) {
    #expect(remaining.countdown == text)
  }

  @Test func `Numbers are grouped`() {
    #expect(
      [0, 999, 1_000, 1_234_567, -1_234].map(\.grouped) == ["0", "999", "1,000", "1,234,567", "-1,234"])
  }
}
