import Foundation
import LedgerEvents
import LedgerHistories
import Testing

/// The bugs that `Tools/mutants` plants are still where its list says.
struct MutantTests {
  @Test("every planted bug is found in the code exactly once") func everyPlanted() throws {
    let root = try #require(packageRoot())
    let data = try Data(contentsOf: root.appending(path: "Tests/Mutants/mutants.json"))
    let mutants = try #require(JSONSerialization.jsonObject(with: data) as? [[String: String]])
    #expect(mutants.count >= 20)
    #expect(Set(mutants.map { $0["name"] }).count == mutants.count)
    for mutant in mutants {
      let name = try #require(mutant["name"])
      let file = try #require(mutant["file"])
      let find = try #require(mutant["find"])
      let text = String(
        decoding: try Data(contentsOf: root.appending(path: file)), as: UTF8.self)
      #expect(text.ranges(of: find).count == 1, "\(name): its text in \(file)")
      #expect(find != mutant["replace"], "\(name) changes nothing")
    }
  }
}
