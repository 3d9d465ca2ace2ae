/// The content of one stripe of a table.
protocol StripeContent: Sendable {
  /// Creates the content of an empty table.
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

    /// Returns the stripe of a key. It is chosen by the highest bits of a product, as addresses differ in few of
    /// their own bits.
    func stripe(ofKey key: Int) -> Stripe {
      all[Int((UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 60)]
    }
  }

  private let stripes = LazyObject<Stripes>()

  init() {}

  /// Changes the stripe of a key, and may add to it.
  func withStripe<Result: ~Copyable>(
    ofKey key: Int, _ body: (inout sending Content) -> sending Result
  ) -> sending Result {
    stripes.get(Stripes.init).stripe(ofKey: key).content.withLock(body)
  }

  /// Changes the stripe of a key. Returns nil without calling `body` if nothing was ever added to the table.
  func withStripeIfMade<Result: ~Copyable>(
    ofKey key: Int, _ body: (inout sending Content) -> sending Result
  ) -> sending Result? {
    guard let stripes = stripes.made else { return nil }
    return stripes.stripe(ofKey: key).content.withLock(body)
  }

  /// Calls `body` with the lock of each stripe, if anything was ever added to the table.
  func forEachStripe(_ body: (borrowing Lock<Content>) -> Void) {
    guard let stripes = stripes.made else { return }
    for stripe in stripes.all { body(stripe.content) }
  }
}
