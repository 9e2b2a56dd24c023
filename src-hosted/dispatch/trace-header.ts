/**
 * The `traceparent` of the span that sends a message. It has a header of its own, because Restate replaces `traceparent` by
 * a span of its own, which is missing in the trace unless Restate is traced too.
 */
export const TRACE_HEADER = 'wes-traceparent'
