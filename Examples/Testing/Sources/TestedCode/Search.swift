/// The view model of a search field, which shows the results for the newest text.
@MainActor package final class Search {
  package private(set) var results: [String] = []
  private var search: Task<Void, Never>?
  private let load: @Sendable (String) async -> [String]

  package init(load: @escaping @Sendable (String) async -> [String]) { self.load = load }

  package func find(_ text: String) {
    search?.cancel()
    search = Task {
      let results = await load(text)
      // The answer for an older text may come after that for a newer one.
      if !Task.isCancelled { self.results = results }
    }
  }
}

/// A search field that shows the answer that comes last, which may be that for an older text.
@MainActor package final class CarelessSearch {
  package private(set) var results: [String] = []
  private let load: @Sendable (String) async -> [String]

  package init(load: @escaping @Sendable (String) async -> [String]) { self.load = load }

  package func find(_ text: String) {
    Task { results = await load(text) }
  }
}
