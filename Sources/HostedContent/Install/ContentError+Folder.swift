internal import PackageFiles

extension ContentError {
  /// Describes a failed system call: where it failed and what to do.
  ///
  /// - Parameter path: The path of the call's folder, for messages.
  init(_ error: FolderError, at path: String) {
    let location = error.name == "." ? path : "\(path)/\(error.name)"
    let reason = "\(error.operation) failed: \(error.reason)"
    switch error.kind {
    case .full:
      self.init(
        .diskFull, path: location,
        "\(reason). Free some space and run it again; nothing was changed.")
    case .notFolder:
      self.init(
        .exists, path: location,
        "\(reason): a file or a symbolic link is in location of a folder, and links are not "
          + "followed. Find out what put it there and move it away.")
    case .exists, .notEmpty:
      self.init(
        .exists, path: location,
        "\(reason): nothing is overwritten. Find out what put it there and move it away.")
    case .denied:
      self.init(.inputOutput, path: location, "\(reason). The folder must be writable.")
    case .missing: self.init(.missing, path: location, reason + ".")
    case .unsupported, .readerGone, .other: self.init(.inputOutput, path: location, reason + ".")
    }
  }
}

/// Runs system calls, and converts an error to one that says where it happened.
func telling<Value: ~Copyable>(
  _ path: String, _ body: () throws(FolderError) -> Value
) throws(ContentError) -> Value {
  do throws(FolderError) {
    return try body()
  } catch {
    throw ContentError(error, at: path)
  }
}
