import Foundation
import Logging

/// Writes the metrics where they outlive the process.
struct MetricsFlush: Sendable {
  let page: MetricsPage
  /// Where to write them, as for the text file collector of Prometheus' node exporter. Nil for the log only.
  let file: String?
  let logger: Logger

  func callAsFunction() async throws {
    let text = await page.text
    if let file { try Data(text.utf8).write(to: URL(filePath: file), options: .atomic) }
    logger.debug("Metrics flushed", metadata: ["bytes": "\(text.utf8.count)", "file": "\(file ?? "none")"])
  }
}
