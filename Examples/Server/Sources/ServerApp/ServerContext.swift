import Hummingbird
import NIOCore

/// What belongs to a request. Its body may have 4 KiB, and is refused with 413 beyond that.
struct ServerContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }

  var maxUploadSize: Int { 4 * 1024 }
}
