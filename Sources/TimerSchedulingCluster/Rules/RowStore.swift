/// A store's rows as the rules see them. It finds rows, and writes them if they are as they were read. It
/// knows no rule.
package protocol RowStore {
  /// Reads rows, all at one moment.
  func read(_ query: RowQuery) throws -> RowSet
  /// Writes what was changed, all or nothing. Returns false if a row that is to be changed isn't as it was
  /// read, nor what the change depends on.
  func write(_ rows: RowSet) throws -> Bool
  /// Returns the newest runs that aren't hidden, newest first.
  func runs(of job: String?, limit: Int) throws -> [ClusterRunRecord]
  /// Deletes the oldest records of runs that a request names. Returns their number.
  func removeRuns(_ removal: HistoryRemoval) throws -> Int
}

/// A request whose rules run on the rows of one read.
package protocol RowCall: StoreCall {
  associatedtype Answer

  /// The rows that it needs, as far as it knows.
  var query: RowQuery { get }

  func perform(on rows: inout RowSet) throws -> Answer
}

extension RowCall {
  /// Reads, decides and writes, and does so again if another request was faster.
  package func perform(on store: some RowStore) throws -> Answer {
    var query = query
    while true {
      var rows = try store.read(query)
      do {
        let answer = try perform(on: &rows)
        if try !rows.isChanged || store.write(rows) { return answer }
      } catch let unread as RowQuery.Unread {
        guard query.insert(unread) else { throw unread }
      }
    }
  }
}
