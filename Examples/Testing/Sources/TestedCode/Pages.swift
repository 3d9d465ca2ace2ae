/// Pages that are loaded once and kept.
package actor Pages {
  private var pages: [String: Task<String, Never>] = [:]
  private let load: @Sendable (String) async -> String

  package init(load: @escaping @Sendable (String) async -> String) { self.load = load }

  package func page(_ name: String) async -> String {
    if let page = pages[name] { return await page.value }
    // Kept before the first suspension: a second caller finds it.
    let page = Task { await load(name) }
    pages[name] = page
    return await page.value
  }
}

/// Pages that are kept only once they are loaded, so that two callers load one twice.
package actor CarelessPages {
  private var pages: [String: String] = [:]
  private let load: @Sendable (String) async -> String

  package init(load: @escaping @Sendable (String) async -> String) { self.load = load }

  package func page(_ name: String) async -> String {
    if let page = pages[name] { return page }
    let page = await load(name)
    pages[name] = page
    return page
  }
}
