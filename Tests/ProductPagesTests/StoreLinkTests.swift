import ProductPages
import Testing

@Suite("Links of the store") struct StoreLinkTests {
  @Test(
    "an item's link gives its number, whatever the host, storefront, query and fragment",
    arguments: [
      ("http://itunes.apple.com/us/app/ibooks/id364709193?mt=8", 364_709_193),
      ("https://itunes.apple.com/fr/app/118-712-annuaire/id338986109?mt=8&uo=4", 338_986_109),
      ("https://apps.apple.com/us/app/apple-books/id364709193", 364_709_193),
      ("https://apps.apple.com/app/id364709193", 364_709_193),
      ("https://apps.apple.com/de/app/id364709193?platform=iphone#information", 364_709_193),
      ("https://APPS.APPLE.COM/US/APP/X/ID364709193/", 364_709_193),
      ("https://geo.itunes.apple.com/us/app/id364709193?at=11l&ct=x", 364_709_193),
      ("https://de.itunes.apple.com/app/x/id364709193", 364_709_193),
      ("itms-apps://itunes.apple.com/app/id364709193", 364_709_193),
      ("itms-apps://apps.apple.com/app/id364709193?action=write-review", 364_709_193),
      ("macappstore://apps.apple.com/app/xcode/id497799835?mt=12", 497_799_835),
      ("https://apps.apple.com/us/app/id2020-run/id364709193", 364_709_193),
      ("https://apps.apple.com/us/app/id2020/id364709193", 364_709_193),
      ("https://apps.apple.com/us/app/x/id364709193/reviews", 364_709_193),
      ("https://apps.apple.com/us/app/x/id364709193&mt=8", 364_709_193),
      ("https://apps.apple.com/jp/app/%E3%83%96%E3%83%83%E3%82%AF/id364709193", 364_709_193),
      ("https://apps.apple.com/jp/app/ブック/id364709193?l=ja", 364_709_193),
      ("https://itunes.apple.com/us/album/x/id1440857781?app=itunes", 1_440_857_781),
      ("https://music.apple.com/us/album/abbey-road/1474815798", 1_474_815_798),
      ("https://books.apple.com/us/book/dot-and-the-kangaroo/id395688121", 395_688_121),
      ("https://podcasts.apple.com/us/podcast/x/id1200361736", 1_200_361_736),
      (
        "http://itunes.apple.com/WebObjects/MZStore.woa/wa/viewSoftware?id=364709193&mt=8",
        364_709_193
      ),
      (
        "http://phobos.apple.com/WebObjects/MZStore.woa/wa/viewAlbum?playlistId=1&id=261129003",
        261_129_003
      ),
      ("https://itunes.apple.com/lookup?id=364709193&country=de", 364_709_193),
      ("itunes.apple.com/us/app/ibooks/id364709193", 364_709_193),
      (" <https://apps.apple.com/us/app/x/id364709193?mt=8&amp;uo=4>\n", 364_709_193),
      ("id364709193", 364_709_193), ("364709193", 364_709_193),
    ])
  func link(_ text: String, _ number: UInt64) throws {
    #expect(try StoreLink.item(in: text).item.number == number)
  }

  @Test("?i= names the song within the album, and the episode within the podcast")
  func within() throws {
    let song = try StoreLink.item(
      in: "https://music.apple.com/us/album/come-together/1474815798?i=1474815800")
    #expect(
      song
        == FoundItem(
          try #require(StoreItem(number: 1_474_815_800)), kind: "song",
          storefront: "us"))
    let episode = try StoreLink.item(
      in: "https://podcasts.apple.com/us/podcast/the-daily/id1200361736?i=1000511111111")
    #expect(episode.item.number == 1_000_511_111_111)
    #expect(episode.kind == "episode")
  }

  @Test("the storefront and the kind are those of the path or the query")
  func storefront() throws {
    let link = try StoreLink.item(in: "https://apps.apple.com/JP/app/x/id364709193")
    #expect(link.storefront == "jp")
    #expect(link.kind == "app")
    let maker = try StoreLink.item(
      in: "https://itunes.apple.com/fr/developer/orange/id286449796?uo=4")
    #expect(maker.kind == "developer")
    let older = try StoreLink.item(
      in: "https://itunes.apple.com/WebObjects/MZStore.woa/wa/viewSoftware?id=1&cc=gb")
    #expect(older.storefront == "gb")
    #expect(older.kind == "software")
    #expect(try StoreLink.item(in: "https://apps.apple.com/app/id1").storefront == nil)
  }

  @Test(
    "a bundle identifier where a number belongs is explained",
    arguments: [
      "com.xamarin.mwc2012", "https://itunes.apple.com/lookup?bundleId=com.xamarin.mwc2012",
      "https://itunes.apple.com/lookup?id=com.xamarin.mwc2012",
    ])
  func bundle(_ text: String) {
    let error = #expect(throws: StoreItemError.self) { try StoreLink.item(in: text) }
    #expect(error?.code == .bundleIdentifier)
    #expect(error?.message.contains("lookup?bundleId=com.xamarin.mwc2012") == true)
  }

  @Test(
    "what names no item is refused with what it is instead",
    arguments: [
      (
        "https://play.google.com/store/apps/details?id=364709193", StoreItemError.Code.notOfTheStore
      ),
      ("https://example.com/us/app/x/id364709193", .notOfTheStore),
      ("https://itunes.apple.com.example.org/us/app/x/id364709193", .notOfTheStore),
      ("https://notitunes.apple.com/us/app/x/id364709193", .notOfTheStore),
      ("https://appsto.re/us/jBwjA.i", .notOfTheStore),
      ("ftp://itunes.apple.com/us/app/x/id364709193", .notOfTheStore),
      ("https://apps.apple.com/us/story/id", .noItem),
      ("https://tv.apple.com/us/movie/x/umc.cmc.3eh9r5iz32ggdm4ccvw5igiir", .noItem),
      ("https://apps.apple.com/us/charts/iphone", .noItem),
      ("https://apps.apple.com/us/app/x/id0", .noItem),
      ("https://apps.apple.com/us/app/x/id99999999999999999999999", .noItem),
      ("my app", .notOfTheStore), ("", .noItem), ("   ", .noItem), ("0", .notOfTheStore),
      ("-364709193", .notOfTheStore),
    ])
  func refused(_ text: String, _ code: StoreItemError.Code) {
    let error = #expect(throws: StoreItemError.self) { try StoreLink.item(in: text) }
    #expect(error?.code == code, "\(error?.message ?? "")")
  }
}
