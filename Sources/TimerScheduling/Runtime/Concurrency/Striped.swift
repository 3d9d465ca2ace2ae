/// The content of one stripe of a table.
protocol StripeContent: Sendable {
  init()
}

/// A table in stripes, each with a lock of its own, so that threads seldom contend.
///
/// The stripes are created at first need. Until then a table takes one word.
struct Striped<Content: StripeContent>: ~Copyable, Sendable {
  private final class Stripe: Sendable {
    /// Guards the content of this stripe.
    let content = Lock(Content())
  }

  private final class Stripes: Sendable {
    let all = (0..<16).map { _ in Stripe() }
  }

  private let stripes = LazyObject<Stripes>()

  init() {}

  func withStripe<Result: ~Copyable>(
    ofKey key: Int, _ body: (inout sending Content) -> sending Result
  ) -> sending Result {
    // Chosen by the highest bits of a product, as addresses differ in few of their own bits.
    let number = Int((UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 60)
    return stripes.get(Stripes.init).all[number].content.withLock(body)
  }

  /// Calls `body` with the lock of each stripe that was created.
  func forEachStripe(_ body: (borrowing Lock<Content>) -> Void) {
    for stripe in stripes.made?.all ?? [] { body(stripe.content) }
  }
}
