import Foundation

/// A picture of some results: a line for each peer.
struct Plot {
  struct Line {
    var title: String
    var points: [(x: Double, y: Double)]
    /// The place among all peers, so that one has the same color in every plot.
    var color: Int
  }

  var name: String
  var title: String
  var xLabel: String
  var yLabel: String
  /// The places on the horizontal axis that have a label.
  var xMarks: [(label: String, x: Double)]
  var lines: [Line]

  /// The commands for gnuplot.
  func script(data: URL, image: URL) -> String {
    let curves = lines.indices.map { index in
      """
      '\(data.path)' index \(index) using 1:2 with linespoints \
      linecolor rgb '\(Self.colors[lines[index].color % Self.colors.count])' linewidth 2 \
      pointtype \(lines[index].color % 3 + 5) pointsize 0.6 title '\(lines[index].title)'
      """
    }
    return """
      set terminal svg size 860,480 font 'sans-serif,13' background 'white'
      set output '\(image.path)'
      set title '\(title)'
      set xlabel '\(xLabel)'
      set ylabel '\(yLabel)'
      set logscale xy
      set xtics (\(xMarks.map { "'\($0.label)' \($0.x)" }.joined(separator: ", ")))
      set xrange [\(xMarks[0].x * 0.98):\(xMarks[xMarks.count - 1].x * 1.02)]
      set format y '%.10g'
      set grid
      set key outside right top Left reverse width -6
      plot \(curves.joined(separator: ", "))

      """
  }

  /// The lines one after the other, with two empty lines between, as gnuplot expects.
  var table: String {
    lines.map { line in
      (["# \(line.title)"] + line.points.map { "\($0.x)\t\($0.y)" }).joined(separator: "\n")
    }
    .joined(separator: "\n\n\n") + "\n"
  }

  private static let colors = [
    "#d62728", "#ff7f0e", "#e377c2", "#bcbd22", "#7f7f7f", "#1f77b4", "#17becf", "#9467bd", "#8c564b",
    "#2ca02c", "#98df8a", "#000000", "#aec7e8",
  ]
}
