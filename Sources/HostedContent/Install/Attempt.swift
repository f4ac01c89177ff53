internal import LedgerEvents
internal import PackageFiles

/// The working folder of one attempt to change something: `ROOT/.daybook/attempts/<id>/`.
///
/// It contains the journal, the content that is not yet in position (`tree`), and the link that
/// will become `current`.
struct Attempt: ~Copyable {
  static let treeName = "tree"
  static let linkName = "link"

  /// The id: thirty-two hexadecimal digits.
  let id: String
  let folder: FolderHandle
  let path: String

  /// Creates an attempt's folder.
  init(new root: borrowing ContentRoot) throws(ContentError) {
    let bytes = (0..<2).map { _ in UInt64.random(in: .min ... .max) }
    let id = bytes.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    self.id = id
    path = root.attemptsPath + "/" + id
    let attempts = try root.attempts()
    folder = try telling(root.attemptsPath) { () throws(FolderError) in
      try attempts.makeFolder(id)
      try attempts.sync()
      return try attempts.folder(id)
    }
  }

  /// Opens the folder of an earlier attempt.
  init(left id: String, in root: borrowing ContentRoot) throws(ContentError) {
    self.id = id
    path = root.attemptsPath + "/" + id
    let attempts = try root.attempts()
    folder = try telling(root.attemptsPath) { () throws(FolderError) in try attempts.folder(id) }
  }

  func journal() throws(ContentError) -> AttemptJournal? {
    try AttemptJournal.left(in: folder, path: path)
  }

  /// Returns whether the staged content is still here.
  func hasTree() throws(ContentError) -> Bool {
    try telling(path) { () throws(FolderError) in
      try folder.kind(of: Self.treeName) != nil
    }
  }

  /// Removes the folder. The staged content goes first and the journal last, so that an interrupted
  /// removal still has a journal that says what was done.
  func remove(from root: borrowing ContentRoot) throws(ContentError) {
    let attempts = try root.attempts()
    let (id, path) = (id, path)
    try telling(path) { () throws(FolderError) in
      for name in try folder.names() where name != AttemptJournal.fileName {
        try folder.removeAll(name)
      }
      try folder.removeAll(AttemptJournal.fileName)
      try attempts.removeFolder(id)
    }
  }
}

extension ContentRoot {
  var attemptsPath: String { path + "/" + ContentName.workArea + "/" + Self.attemptsName }

  func attempts() throws(ContentError) -> FolderHandle {
    guard let work = try work() else {
      throw ContentError(.missing, path: path, "there is no work area here.")
    }
    return try telling(path + "/" + ContentName.workArea) { () throws(FolderError) in
      try work.folder(Self.attemptsName)
    }
  }

  /// The ids of attempts that were interrupted or are in progress.
  func attemptsLeft() throws(ContentError) -> [String] {
    guard let work = try work() else { return [] }
    do throws(FolderError) {
      return try work.folder(Self.attemptsName).names()
    } catch  where error.kind == .missing {
      return []
    } catch {
      throw ContentError(error, at: attemptsPath)
    }
  }
}
