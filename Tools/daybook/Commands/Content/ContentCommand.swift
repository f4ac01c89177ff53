import ArgumentParser

struct ContentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "content",
    abstract: "Hosted content: packages, and which of them are installed.",
    discussion: """
      A package is a folder as the device sees it, the .pkg that is uploaded or a zip: \
      ContentInfo.plist at its root and the files below Contents/. Example:

        daybook content validate Tools/samples/atlas
      """,
    subcommands: [
      ContentInspect.self, ContentValidate.self, ContentBuild.self, ContentInstall.self,
      ContentList.self, ContentSwitch.self, ContentRemove.self, ContentPrune.self,
      ContentAuditCommand.self, ContentUpdates.self, ContentPublish.self,
      ContentParse.self,
    ])
}
