import Hummingbird

/// `GET /cache`: the value that the upstream had last.
struct CacheRoutes: Sendable {
  let cache: Cache

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("cache") { _, _ in
      guard let entry = await cache.entry else {
        throw HTTPError(.serviceUnavailable, message: "The upstream hasn't answered yet.")
      }
      return entry
    }
  }
}

extension Cache.Entry: ResponseEncodable {}
