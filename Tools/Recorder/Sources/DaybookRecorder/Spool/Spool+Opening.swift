extension Spool {
  /// Reads the files of a folder: whole records are kept, what does not check is skipped, and a
  /// torn end is cut off. What the disk does to one file keeps no other from being read.
  static func load(
    _ folder: String, _ files: any SpoolFiles
  ) throws(FileError) -> (state: State, report: SpoolReport) {
    var report = SpoolReport()
    var segments: [Segment] = []
    var nextSerial: UInt64 = 1
    let all = try files.names(in: folder)
    let names = all.filter { $0.hasSuffix(suffix) }.sorted()
    var kept = Set(all.filter { $0.hasSuffix(damagedSuffix) })
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      let path = folder + "/" + name
      // The name's number may be that of a file whose first record never came.
      let named = UInt64(name.dropLast(suffix.count), radix: 16) ?? serialMax
      nextSerial = max(nextSerial, after(named))
      let file: any SpoolFile
      let bytes: [UInt8]
      do throws(FileError) {
        file = try files.open(path)
        bytes = try file.whole(path, bytesMax: fileBytesMax)
      } catch {
        // It may be readable another time: it stays, and its numbers are not used again.
        report.unreadableFiles += 1
        if named < serialMax { nextSerial = max(nextSerial, after(named + unreadableRecordsMax)) }
        continue
      }
      let found = scan(bytes)
      nextSerial = max(nextSerial, after(found.entries.map(\.serial).max() ?? 0))
      report.events += found.entries.count
      report.damagedBytes += found.damage.reduce(0) { $0 + $1.count }
      let tail = Array(bytes[found.end...])
      let isTorn = isLast && !Frame.mayHoldRecord(tail)
      if isTorn { report.cutBytes += tail.count } else { report.damagedBytes += tail.count }
      let aside = isTorn ? nil : damagedName(name, tail, &kept)
      let isClean =
        tail.isEmpty || cut(tail, of: file, aside: aside.map { (folder, $0) }, files)
      if found.entries.isEmpty {
        // A file that holds a damaged record and could not be cut stays.
        if isClean { discard(path, files) }
      } else {
        // The newest file goes on, unless it is damaged.
        let goesOn = isLast && isClean && found.damage.isEmpty && named < serialMax
        segments.append(
          Segment(
            path: path, file: goesOn ? file : nil, size: found.end, entries: found.entries,
            isUnsynced: goesOn, damage: found.damage))
      }
    }
    return (State(segments: segments, nextSerial: nextSerial), report)
  }

  /// Numbers from here on are nobody's: a file with such a name was not written by a spool.
  private static let serialMax = UInt64.max / 4
  /// The largest file that is read, in bytes: more than any batch that finds room, in a spool of
  /// four times the size that is usual.
  static let fileBytesMax = 64 << 20
  /// More records than a file has.
  private static let unreadableRecordsMax: UInt64 = 1 << 24

  private static func after(_ serial: UInt64) -> UInt64 { serial < serialMax ? serial + 1 : 1 }

  /// The most files that keep what was damaged. What is found later is cut off, and only counted.
  static let damagedFilesMax = 16
  private static let damagedSuffix = ".damaged"

  /// The name of the file that keeps what is damaged in another: one for each part, and the same
  /// when the opening is repeated. Nil if there are enough of them.
  ///
  /// - Parameter kept: The files that there are; it is added to them.
  private static func damagedName(
    _ name: String, _ tail: [UInt8], _ kept: inout Set<String>
  ) -> String? {
    guard !tail.isEmpty else { return nil }
    let own = name + "." + String(CRC32C.sum(tail), radix: 16) + damagedSuffix
    guard kept.contains(own) || kept.count < damagedFilesMax else { return nil }
    kept.insert(own)
    return own
  }

  /// Cuts the end of a file off. Returns whether the disk did so: if not, the file is read as it
  /// is, and gets no more records.
  ///
  /// - Parameter aside: The folder and the name of the file that keeps the end; nil if none does.
  private static func cut(
    _ tail: [UInt8], of file: any SpoolFile, aside: (folder: String, name: String)?,
    _ files: any SpoolFiles
  ) -> Bool {
    do throws(FileError) {
      if let aside { try keep(tail, in: aside.folder, as: aside.name, files) }
      try file.truncate(to: try file.size() - tail.count)
      try file.sync()
      return true
    } catch {
      return false
    }
  }

  /// Writes damaged bytes into a file of their own. Its name lasts before the only other copy goes.
  private static func keep(
    _ bytes: [UInt8], in folder: String, as name: String, _ files: any SpoolFiles
  ) throws(FileError) {
    let kept = try files.open(folder + "/" + name)
    try kept.truncate(to: 0)
    try kept.write(bytes, at: 0)
    try kept.sync()
    try files.syncFolder(folder)
  }

  /// Keeps what does not check in a file whose lines were all acknowledged, before the file goes.
  func keepDamage(of segment: Segment) throws(FileError) {
    guard !segment.damage.isEmpty else { return }
    let file = try files.open(segment.path)
    var bytes: [UInt8] = []
    for range in segment.damage {
      bytes += try file.read(at: range.lowerBound, count: range.count)
    }
    var kept = Set(try files.names(in: folder).filter { $0.hasSuffix(Self.damagedSuffix) })
    let name = String(segment.path.dropFirst(folder.count + 1))
    guard let own = Self.damagedName(name, bytes, &kept) else { return }
    try Self.keep(bytes, in: folder, as: own, files)
  }

  /// Removes a file that holds nothing. If the disk does not do so, the next opening tries again.
  @discardableResult static func discard(_ path: String, _ files: any SpoolFiles) -> Bool {
    do throws(FileError) {
      try files.remove(path)
      return true
    } catch {
      return false
    }
  }

  /// The records in the bytes of a file, the end of the last one, and where before it bytes are
  /// part of none.
  private static func scan(
    _ bytes: [UInt8]
  ) -> (entries: [Entry], end: Int, damage: [Range<Int>]) {
    var entries: [Entry] = []
    var end = 0
    var damage: [Range<Int>] = []
    while let start = Frame.next(bytes, from: end), let found = Frame.decode(bytes, at: start) {
      if start > end { damage.append(end..<start) }
      end = found.line.upperBound
      entries.append(Entry(serial: found.serial, offset: start, bytes: end - start))
    }
    return (entries, end, damage)
  }
}
