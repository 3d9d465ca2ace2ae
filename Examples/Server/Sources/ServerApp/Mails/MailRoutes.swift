import Hummingbird
import TimerSchedulingCluster

/// `POST /mails` sends a mail, now or as soon as its server answers.
struct MailRoutes: Sendable {
  /// The number of bytes that an address may have.
  static let addressLimit = 64

  let mails: MailJobs

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.post("mails") { request, context in
      let mail = try await mail(in: request, context: context)
      guard 1...Self.addressLimit ~= mail.to.utf8.count else {
        throw HTTPError(.badRequest, message: "An address has 1 to \(Self.addressLimit) bytes.")
      }
      do {
        guard let job = try await mails.put(mail) else {
          throw HTTPError(.serviceUnavailable, message: "Too many mails wait.")
        }
        return EditedResponse(status: .accepted, response: "\(job)\n")
      } catch ClusterError.nameInvalid {
        throw HTTPError(.badRequest, message: "An address has no control characters.")
      }
    }
  }

  private func mail(in request: Request, context: some RequestContext) async throws -> Mail {
    do {
      return try await request.decode(as: Mail.self, context: context)
    } catch let error as any HTTPResponseError {
      throw error
    } catch {
      // The client has gone in the middle of it.
      throw HTTPError(.badRequest, message: "The request is incomplete.")
    }
  }
}
