/// A chart as an image, with its text for screen readers.
struct ChartView {
  let chart: LatenessChart

  var html: HTML {
    """
    <svg role="img" aria-label="\(chart.text)" viewBox="0 0 \(String(LatenessChart.width)) \
    \(String(LatenessChart.height))" preserveAspectRatio="none"><title>\(chart.text)</title>\
    <path class="run-time" d="\(chart.runTime)"/><path class="lateness" d="\(chart.lateness)"/></svg>
    """
  }
}
