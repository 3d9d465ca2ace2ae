import Hummingbird
import NIOCore

/// The context of a request. A body of more than 4 KiB is refused with 413.
struct ServerContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }

  var maxUploadSize: Int { 4 * 1024 }
}
