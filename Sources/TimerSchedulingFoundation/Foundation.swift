// The part of Foundation that the other modules use, such as `Date`. On Linux it is a fraction of the whole.

#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif
