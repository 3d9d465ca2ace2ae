import Foundation
import TestSupport
import Testing

/// The article Recipes agrees with the tested code.
@Suite(.guarantee("G143")) struct ArticleTests {
  @Test func `The article shows each recipe as it's tested`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appending(path: "Documentation/TimerScheduling.docc/Recipes.md")
    let shown = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\nimport ")
      .dropFirst()
      .map { "import " + $0.components(separatedBy: "```")[0] }
      // `.ci/snippets` runs these.
      .filter { !$0.contains("@main") }
    let tested = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { !$0.lastPathComponent.hasSuffix("Tests.swift") }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    #expect(tested.count == 10)
    #expect(shown.sorted() == tested.sorted())
  }
}
