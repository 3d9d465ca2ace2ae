import Hummingbird

/// `GET /reports`: what there was in each of the last hours.
struct ReportRoutes: Sendable {
  let book: ReportBook

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("reports") { _, _ in await book.reports }
  }
}

extension Report: ResponseEncodable {}
