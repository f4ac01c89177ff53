import Testing

/// Like `#expect`, for conditions on noncopyable values, which the macro would copy to show them.
func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
