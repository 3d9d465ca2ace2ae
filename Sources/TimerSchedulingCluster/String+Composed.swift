#if canImport(FoundationEssentials)
@_spi(_Unicode) import Swift
#else
import TimerSchedulingFoundation
#endif

extension String {
  /// The text in Unicode's composed form (NFC), in which stores get names: databases compare bytes.
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
