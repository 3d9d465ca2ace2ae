/// The page that asks an operator for the token.
struct LoginView {
  /// The path from the address of this page to the files of the operator's page: `timers/`, or nothing.
  let prefix: String
  let query: TimerQuery
  let links: PageLinks
  /// Why the last token wasn't taken. Nil at first.
  let message: String?

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: log in", prefix: prefix).html)
    <body>
    \(links.header(title: "Timers"))
    <main>
    <form method="post" action="\(prefix)login\(query.text)" id="login">
    <input type="hidden" name="formToken" value="\(links.formToken)">
    <label>Admin token <input type="password" name="token" required autofocus autocomplete="current-password" \
    size="32"></label>
    <button>Log in</button>
    </form>
    <p role="alert">\(message ?? "")</p>
    </main>
    </body>
    </html>
    """
  }
}
