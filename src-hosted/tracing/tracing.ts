// Spans of what a process does, for OpenTelemetry. Attributes name ids, names of Programs and effects, and how something
// ended; never tokens, addresses of webhooks, inputs, results or messages of errors.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export type About = {
  /** `internal` unless given. */
  readonly kind?: 'server' | 'consumer'
  readonly attributes?: SpanAttributes
  /** On the monotonic clock, in ms; now unless given. */
  readonly beganAt?: number
  /**
   * What it came from, as a `traceparent`: it continues that trace (`parent`), or begins one of its own that refers to it
   * (`link`). Absent: it belongs to the span within which it begins.
   */
  readonly cause?: { readonly as: 'parent' | 'link'; readonly traceparent: string | undefined }
}

export type Span = {
  set(attributes: SpanAttributes): void
  /** `reason`: a code or the name of an error. */
  fail(reason: string): void
  /** What `act` begins belongs to it. */
  within<Result>(act: () => Result): Result
  end(): void
}

export type Tracing = {
  begin(name: string, about: About): Span
  /** A span of as long as `act` takes. It has failed when `act` rejects. */
  during<Result>(name: string, about: About, act: (span: Span) => Promise<Result>): Promise<Result>
  /** What `act` begins belongs to the span that `traceparent` names, or to none. */
  continuing<Result>(traceparent: string | undefined, act: () => Result): Result
  /** Of the span within which it is called. */
  traceparent(): string | undefined
  /** Sends what is left, for 2 s at most. May be called twice. */
  stop(): Promise<void>
}
