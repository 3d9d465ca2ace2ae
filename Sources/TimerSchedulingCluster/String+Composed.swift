#if canImport(FoundationEssentials)
@_spi(_Unicode) import Swift
#else
import TimerSchedulingFoundation
#endif

extension String {
  /// The text in Unicode's composed form (NFC).
  ///
  /// A cluster gives a store each name in this form. Swift holds "é" and "e" with an accent equal, but databases don't.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    #if canImport(FoundationEssentials)
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
    #else
    return precomposedStringWithCanonicalMapping
    #endif
  }
}
