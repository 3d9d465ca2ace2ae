import Foundation
import Testing

/// Pages of the documentation agree with the tests.
@Suite struct ArticleTests {
  @Test func `The article shows each recipe as it's tested`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appending(path: "Documentation/TimerScheduling.docc/Recipes.md")
    let shown = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\nimport ")
      .dropFirst()
      .map { "import " + $0.components(separatedBy: "```")[0] }
    let tested = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { !$0.lastPathComponent.hasSuffix("Tests.swift") }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    #expect(tested.count == 10)
    #expect(shown.sorted() == tested.sorted())
  }

  @Test func `The page Hazards names the tests that have each hazard's number, and no others`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var tagged: [String] = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let suite = file.deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
      let text = try String(contentsOf: file, encoding: .utf8)
      for trait in text.ranges(of: ".bug(id: \"") {
        let rest = text[trait.upperBound...]
        let name = rest.split(separator: "func `", maxSplits: 1)[1].prefix { $0 != "`" }
        tagged.append("\(rest.prefix { $0 != "\"" }) \(suite) \(name)")
      }
    }
    let page = tests.appending(path: "../../Documentation/Hazards.md")
    var listed: [String] = []
    let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| (\w\d) \|.*\| (.*) \|/)
    for row in rows {
      for suite in row.2.split(separator: " · ") {
        let parts = suite.dropFirst().split(separator: "`: ")
        listed += parts[1].split(separator: "; ").map { "\(row.1) \(parts[0]) \($0)" }
      }
    }
    #expect(rows.count == 40)
    #expect(listed.sorted() == tagged.sorted())
  }
}
