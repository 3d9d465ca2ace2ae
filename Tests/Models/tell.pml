/* What the models print with -DTELL. */
c_code {
  /* Prints a line once. The table has room for several times as many as there are. */
  static void print_once(const char *line) {
    static char *printed[1 << 18];
    const char *next;
    unsigned hash = 5381;
    for (next = line; *next; next++) hash = hash * 33 + *next;
    for (hash %= 1 << 18; printed[hash]; hash = (hash + 1) % (1 << 18)) if (!strcmp(printed[hash], line)) return;
    printed[hash] = strdup(line);
    printf("%s\n", line);
  }
}
