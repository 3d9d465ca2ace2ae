import Hummingbird

/// `POST /sessions` begins a session, `GET /sessions/:id` restarts its timeout, `DELETE /sessions/:id` ends
/// it.
struct SessionRoutes: Sendable {
  /// The body of a request that begins a session.
  struct Beginning: Decodable {
    var user: String
  }

  /// The number of bytes that a user's name may have.
  static let nameLimit = 64

  let sessions: SessionStore

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    let group = router.group("sessions")
    group.post { request, context in
      let user = try await beginning(in: request, context: context).user
      guard 1...Self.nameLimit ~= user.utf8.count else {
        throw HTTPError(.badRequest, message: "A user's name has 1 to \(Self.nameLimit) bytes.")
      }
      guard let session = sessions.create(user: user) else {
        throw HTTPError(.serviceUnavailable, message: "There are too many sessions.")
      }
      return EditedResponse(
        status: .created, headers: [.location: "/sessions/\(session.id)"], response: session)
    }
    group.get(":id") { _, context in
      guard let session = sessions.touch(try id(in: context)) else { throw HTTPError(.notFound) }
      return session
    }
    group.delete(":id") { _, context in
      guard sessions.delete(try id(in: context)) else { throw HTTPError(.notFound) }
      return HTTPResponse.Status.noContent
    }
  }

  private func beginning(in request: Request, context: some RequestContext) async throws -> Beginning {
    do {
      return try await request.decode(as: Beginning.self, context: context)
    } catch let error as any HTTPResponseError {
      throw error
    } catch {
      // The client has gone in the middle of it.
      throw HTTPError(.badRequest, message: "The request is incomplete.")
    }
  }

  private func id(in context: some RequestContext) throws -> SessionID {
    guard let id = SessionID(try context.parameters.require("id")) else {
      throw HTTPError(.badRequest, message: "A session's identifier has 32 hexadecimal digits.")
    }
    return id
  }
}

extension Session: ResponseEncodable {}
