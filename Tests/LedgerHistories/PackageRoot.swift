public import Foundation

/// The folder of the package that this file was compiled from.
///
/// - Parameter file: a file of the package, below the folder that holds `Package.swift`.
public func packageRoot(of file: String = #filePath) -> URL? {
  var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
  while folder.path != "/" {
    let manifest = folder.appendingPathComponent("Package.swift").path
    if FileManager.default.fileExists(atPath: manifest) { return folder }
    folder = folder.deletingLastPathComponent()
  }
  return nil
}
