import Hummingbird
import PrometheusRegistry

/// `GET /metrics`, for Prometheus.
struct MetricsRoutes: Sendable {
  let page: MetricsPage

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: PrometheusRegistry.contentType],
        body: ResponseBody(byteBuffer: ByteBuffer(string: await page.text)))
    }
  }
}
