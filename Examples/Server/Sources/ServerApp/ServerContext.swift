import Hummingbird

/// What belongs to a request. Its body may have 4 KiB, and is refused with 413 beyond that.
struct ServerContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
  }

  var maxUploadSize: Int { 4 * 1024 }
}
