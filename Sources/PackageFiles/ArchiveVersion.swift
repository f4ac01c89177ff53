internal import CArchive

/// The version of the linked libarchive: 3006002 for 3.6.2.
public var archiveLibraryVersion: Int {
  Int(archive_version_number())
}
