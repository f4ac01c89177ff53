import Foundation

extension Error {
  /// The system's description of a failure that Foundation wraps, such as "Input/output error".
  ///
  /// `localizedDescription` often says no more than that the operation could not be completed.
  var systemReason: String {
    let error = self as NSError
    let wrapped = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    let cause = wrapped ?? error
    guard cause.domain == NSPOSIXErrorDomain else { return localizedDescription }
    return cause.localizedFailureReason ?? localizedDescription
  }
}
