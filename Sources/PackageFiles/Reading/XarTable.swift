internal import CArchive

/// The table of contents of a xar, looked over before libarchive builds it in memory.
enum XarTable {
  static func check(_ file: ReadFile) throws(PackageFileError) {}
}
