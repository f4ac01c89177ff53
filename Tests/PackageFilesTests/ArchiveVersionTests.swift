import PackageFiles
import Testing

@Suite("libarchive") struct ArchiveVersionTests {
  @Test("is linked in its third major version") func version() {
    #expect(archiveLibraryVersion / 1_000_000 == 3)
  }
}
