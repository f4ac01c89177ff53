import Foundation
import HostedContent
import LedgerEvents
import Synchronization
import Testing

/// A ledger in memory that can be told to refuse appends.
private final class ListedLedger: ContentLedger {
  var events: [Event] = []
  var refuses = false

  func append(_ more: [Event]) throws(ContentError) {
    if refuses { throw ContentError(.inputOutput, path: "ledger", "refused") }
    for event in more where !events.contains(where: { $0.id == event.id }) { events.append(event) }
  }

  func installed(of owner: ContentOwner) throws(ContentError) -> [LedgerInstall] {
    let newest = events.last { [.contentInstalled, .contentRemoved].contains($0.type.kind) }
    guard let newest, newest.type.kind == .contentInstalled, let product = newest.product,
      let version = newest.data.name("contentVersion")
    else { return [] }
    return [LedgerInstall(product: product, version: version, path: newest.data.name("path"))]
  }

  func contentEvents(of owner: ContentOwner) throws(ContentError) -> [Event] { events }
}

@Suite("An install by the library") struct ChangingPackageTests {
  private let lab: InstallLab
  private let ledger = ListedLedger()
  private let keeper: ContentKeeper

  init() throws {
    lab = try InstallLab()
    var ticks: Int64 = 1_700_000_000_000_000
    let clock = {
      // The clock goes backwards, but later events still get later times.
      ticks -= 1_000
      return Instant(microseconds: ticks)
    }
    keeper = ContentKeeper(
      lab.folder.appending(path: "root").path,
      owner: ContentOwner(account: "keeper", device: "phone"), ledger: ledger, clock: clock)
  }

  private var kinds: [String] { ledger.events.map(\.type.text) }

  @Test("of a package that changes while it is copied fails, and leaves nothing")
  func changed() throws {
    try lab.makePackage("2.0", files: 4, bytes: 3_000_000)
    let file = lab.package("2.0") + "/Contents/tiles/tile-1.txt"
    var isChanged = false
    do throws(ContentError) {
      _ = try keeper.install(lab.package("2.0")) { bytes in
        // This file has been read by then, but the last one has not.
        guard bytes > 7_000_000, !isChanged else { return }
        isChanged = true
        _ = FileManager.default.createFile(atPath: file, contents: Data("other".utf8))
      }
      Issue.record("it was installed")
    } catch {
      #expect(error.code == .changed)
    }
    #expect(kinds == ["content.installStarted", "content.installFailed"])
    #expect(ledger.events.last?.data.value("error")?.integer("code") == 5)
    let left = try FileManager.default.subpathsOfDirectory(atPath: keeper.path)
    #expect(Set(left) == [".daybook", ".daybook/attempts", ".daybook/lock", ".daybook/owner"])
  }

  @Test("tells its events in the order of its steps, whatever the clock does")
  func order() throws {
    _ = try keeper.install(lab.package("1.0"))
    #expect(kinds == ["content.installStarted", "content.installed", "content.activated"])
    let times = ledger.events.map(\.occurredAt)
    #expect(times == times.sorted())
    #expect(Set(times).count == 3)
  }

  @Test("whose ledger refuses begins nothing, and ends well when it takes events again")
  func refusal() throws {
    ledger.refuses = true
    #expect(throws: ContentError.self) { try keeper.install(lab.package("1.0")) }
    #expect(kinds == [])
    ledger.refuses = false
    guard case .installed(let version) = try keeper.install(lab.package("1.0")) else {
      Issue.record("it was refused")
      return
    }
    #expect(version.isCopied && version.isCurrent)
    // The attempt that could not be reported is first reported as failed.
    #expect(
      kinds == [
        "content.installStarted", "content.installFailed", "content.installStarted",
        "content.installed", "content.activated",
      ])
  }
}
