extension HostilePackage {
  /// Zips that another program would read differently.
  static let zipReadings: [HostilePackage] = [
    .init("a zip whose header states another name", .malformed) {
      PackageLab.zip { $0.entries[1].localName = Array("Contents/evil".utf8) }
    },
    .init("a zip whose header states another checksum", .malformed) {
      PackageLab.zip { $0.entries[1].localChecksum = 1 }
    },
    .init("a zip whose header states other sizes", .malformed) {
      PackageLab.zip { $0.entries[1].localBytes = 3 }
    },
    .init("a zip whose entries share an offset", .malformed) {
      PackageLab.zip { zip in
        zip.add("Contents/a.txt")
        zip.entries[2].sharesOffset = true
      }
    },
    .init("a zip whose end counts one entry less", .malformed) {
      PackageLab.zip { $0.statedEntries = 1 }
    },
    .init("a zip whose end counts one entry more", .malformed) {
      PackageLab.zip { $0.statedEntries = 3 }
    },
    .init("a zip with a file that its directory leaves out", .malformed) {
      PackageLab.zip { zip in
        zip.add("Contents/hidden")
        zip.entries[2].isInDirectory = false
      }
    },
    .init("a zip with a file left out before the first", .malformed) {
      PackageLab.zip { zip in
        zip.add("Contents/hidden")
        zip.entries.swapAt(0, 2)
        zip.entries[0].isInDirectory = false
      }
    },
    .init("a zip after another program's bytes", .malformed) {
      Array("#!/bin/sh\n".utf8) + PackageLab.goodZip().bytes
    },
    .init("a zip with bytes after its end", .malformed) {
      PackageLab.goodZip().bytes + Array("more".utf8)
    },
    .init("a zip that states its sizes after its data, wrongly", .malformed) {
      PackageLab.zip { zip in
        zip.entries[1].statesSizesBehind = true
        zip.entries[1].localBytes = 0
        zip.entries[1].localChecksum = 0
        zip.entries[1].behindBytes = 9
      }
    },
    .init("a zip with another directory behind its ZIP64 end record", .malformed) {
      PackageLab.zip { zip in
        zip.end = { end in
          end.addLarge()
          end.between = Array("another directory".utf8)
        }
      }
    },
    .init("a zip whose two end records count differently", .malformed) {
      PackageLab.zip { zip in
        zip.end = { end in
          end.addLarge()
          end.record[8] += 1
          end.record[10] += 1
        }
      }
    },
    .init("a zip whose ZIP64 end record states another length", .malformed) {
      PackageLab.zip { zip in
        zip.end = { end in
          end.addLarge()
          end.largeRecord[4] += 1
        }
      }
    },
    .init("a zip whose locator leads to no end record", .malformed) {
      PackageLab.zip { zip in
        zip.end = { end in
          end.addLarge()
          end.locator[8] -= 1
        }
      }
    },
    .init("a zip that is said to be in two parts", .malformed) {
      PackageLab.zip { zip in zip.end = { $0.record[4] = 1 } }
    },
    .init("a zip whose end counts other entries in this part", .malformed) {
      PackageLab.zip { zip in zip.end = { $0.record[8] += 1 } }
    },
    .init("a zip with a second name for an entry in its directory", .malformed) {
      PackageLab.zip { zip in
        let own = zip.entries[1].name
        zip.entries[1].extra = TestZip.Entry.otherName("Contents/evil", insteadOf: own)
        zip.entries[1].localExtra = []
      }
    },
    .init("a zip with a second name for an entry in its header", .malformed) {
      PackageLab.zip { zip in
        let own = zip.entries[1].name
        zip.entries[1].localExtra = TestZip.Entry.otherName("Contents/evil", insteadOf: own)
      }
    },
  ]

  /// Tables of xars for which libarchive needs gigabytes, never ends, or reads something different.
  static let xarReadings: [HostilePackage] = [
    .init("a xar's file that is the original of a hard link twice", .malformed) {
      xar(
        "<file id=\"7\"><name>h</name><type link=\"original\">hardlink</type>"
          + "<type link=\"original\">hardlink</type></file>")
    },
    .init("a xar's hard link to nothing", .malformed) {
      xar("<file id=\"7\"><name>h</name><type link=\"99\">hardlink</type></file>")
    },
    .init("a xar's name in pieces", .malformed) {
      xar("<file id=\"7\"><name>a<x/>b</name><type>file</type></file>")
    },
    .init("a xar's name twice", .malformed) {
      xar("<file id=\"7\"><name>a</name><name>b</name><type>file</type></file>")
    },
    .init("a xar's name with a prefix", .malformed) {
      xar("<file xmlns:x=\"u\" id=\"7\"><x:name>a</x:name><type>file</type></file>")
    },
    .init("a xar with a processing instruction", .malformed) {
      xar("<?name <name>?><file id=\"7\"><name>a</name><type>file</type></file>")
    },
    .init("a xar in UTF-7", .malformed) {
      var xar = PackageLab.xar("")
      xar.table = xar.table.replacing("UTF-8", with: "UTF-7")
      return xar.bytes
    },
    .init("a xar's element with many attributes", .malformed) {
      let attributes = (0..<300).map { "a\($0)=\"\"" }.joined(separator: " ")
      return xar("<file id=\"7\" \(attributes)><name>a</name><type>file</type></file>")
    },
    .init("a xar's element with a long attribute", .malformed) {
      let value = String(repeating: "x", count: 10_000)
      return xar("<file id=\"7\" a=\"\(value)\"><name>a</name><type>file</type></file>")
    },
    .init("a xar's tags that do not end what began", .malformed) {
      xar("<file id=\"7\"><name>a</file></name>")
    },
  ]

  private static func xar(_ files: String) -> [UInt8] { PackageLab.xar(files).bytes }
}
