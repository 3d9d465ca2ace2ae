@main struct Program {
  static func main() async throws { try await runClients() }
}
