/// A failure of a statement, or of the connection that it was sent over.
public enum PostgresError: Error, Hashable {
  /// The connection failed. A statement that was under way may have been carried out.
  case connection(String)
  /// The server refused the statement and carried out none of it. The state is one of PostgreSQL's SQLSTATE
  /// codes.
  case server(state: String, message: String)
}
