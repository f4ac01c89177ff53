import Testing

/// `#expect` for conditions over what cannot be copied, which the macro would copy to show it.
func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
