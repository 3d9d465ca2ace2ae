import Foundation
import TestSupport
import Testing
import TimerSchedulingCluster

/// Whether the stores do what Tests/Models/cluster.pml and Tests/Models/put.pml do.
///
/// `.ci/models` writes the files with the transitions of the models, and checks that they are up to date.
/// `Examples/Cluster/Harness/transitions.py` compares them with the functions in PostgreSQL.
@Suite(.limited, .guarantee("G164")) struct ClusterModelTests {
  @Test(arguments: ["cluster", "put"], [false, true])
  func `The stores in memory and in SQLite do in each state what the models do`(
    model: String, isSQLite: Bool
  ) async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../Models/\(model)-transitions.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let request = StoreRequest(ReplayRequest(lines: lines))
    let answer =
      if isSQLite {
        try await SQLiteTimerStore { body in try body(SQLiteConnection().execute) }.perform(request)
      } else {
        try await MemoryTimerStore { Date(timeIntervalSince1970: 1) }.perform(request)
      }
    let found = try #require(answer.value as? ReplayRequest.Answer)
    #expect(found.differences == [])
    // The others are of rows that are locked or deleted, which there are in a database only.
    #expect(found.count > 3_000)
  }
}

/// Does the transitions of a model one after the other on a store's rows, and answers which do something
/// else.
private struct ReplayRequest: StoreCall {
  struct Answer: Sendable, Codable {
    var count = 0
    var differences: [String] = []
  }
  static let name = "replay"

  var lines: [String]

  func perform(on store: some RowStore) throws -> Answer {
    var answer = Answer()
    let now = try store.read(RowQuery()).now
    for line in lines {
      guard let transition = ModelTransition(line, now: now) else { continue }
      answer.count += 1
      let found = try transition.performed(on: store)
      if found != transition.expected {
        answer.differences.append("\(line): \(found.joined(separator: " "))")
      }
    }
    return answer
  }
}
