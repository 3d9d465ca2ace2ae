/// The head of a page.
struct PageHead {
  let title: String
  /// The path from the page's address to the files of the operator's page: `timers/`, or nothing.
  let prefix: String
  /// Markup that follows the style sheet and the script that shows dates in the reader's time zone.
  var script: HTML = ""

  var html: HTML {
    """
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="stylesheet" href="\(prefix)page.css">
    <script src="\(prefix)time.js" defer></script>
    \(script)
    </head>
    """
  }
}
