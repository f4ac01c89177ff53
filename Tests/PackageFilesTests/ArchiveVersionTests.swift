import PackageFiles
import Testing

@Suite struct `libarchive` {
  @Test func `the linked library is of the third major version`() {
    #expect(archiveLibraryVersion / 1_000_000 == 3)
  }
}
