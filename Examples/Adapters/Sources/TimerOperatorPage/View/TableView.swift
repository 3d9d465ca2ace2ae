/// A table whose rows become blocks on a narrow screen, in which each cell has its column's title.
struct TableView {
  struct Column: ExpressibleByStringLiteral {
    let title: String
    var isNumber = false
    /// The address that sorts by the column, and how the rows are sorted by it: `none`, for example.
    var sort: (address: String, direction: String)?

    init(_ title: String, isNumber: Bool = false, sort: (address: String, direction: String)? = nil) {
      (self.title, self.isNumber, self.sort) = (title, isNumber, sort)
    }

    init(stringLiteral title: String) { self.init(title) }

    fileprivate var mark: HTML { isNumber ? " class=\"number\"" : "" }
  }

  struct Row {
    /// The key by which a script finds the row.
    let key: String
    var state = ""
    /// The box that selects the row, in a cell before the others.
    var box: HTML?
    let cells: [HTML]
  }

  let id: String
  let caption: HTML
  let columns: [Column]
  let rows: [Row]
  /// The cell above the boxes that select rows. Nil for a table without any.
  var box: HTML?

  var html: HTML {
    """
    <div class="table" role="region" aria-label="Table of \(id)" tabindex="0" data-key="table \(id)">
    <table role="table" id="\(id)" class="blocks">
    <caption>\(caption)</caption>
    <thead role="rowgroup">
    <tr role="row">
    \(boxCell(box))
    \(HTML(joining: columns.map(header)))
    </tr>
    </thead>
    <tbody role="rowgroup">
    \(HTML(joining: rows.map(row)))
    </tbody>
    </table>
    </div>
    """
  }

  private func boxCell(_ box: HTML?) -> HTML {
    guard let box else { return "" }
    return "<td role=\"cell\" data-cell=\"select\">\(box)</td>"
  }

  private func header(of column: Column) -> HTML {
    guard let sort = column.sort else {
      return "<th role=\"columnheader\" scope=\"col\"\(column.mark)>\(column.title)</th>"
    }
    return """
      <th role="columnheader" scope="col" aria-sort="\(sort.direction)"\(column.mark)>\
      <a href="\(sort.address)">\(column.title)</a></th>
      """
  }

  private func row(_ row: Row) -> HTML {
    let others = zip(columns, row.cells).dropFirst().map { column, cell -> HTML in
      "<td role=\"cell\"\(column.mark) data-label=\"\(column.title)\">\(cell)</td>"
    }
    let state: HTML = row.state.isEmpty ? "" : " data-state=\"\(row.state)\""
    return """
      <tr role="row" data-key="\(row.key)"\(state)>
      \(boxCell(row.box))
      <th role="rowheader" scope="row">\(row.cells[0])</th>
      \(HTML(joining: others))
      </tr>
      """
  }
}
