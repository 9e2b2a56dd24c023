/**
 * What asked for a message, as a `traceparent`. Not the header of that name: Restate would put a span of its own into it,
 * which nobody sees unless Restate is traced too.
 */
export const TRACE_HEADER = 'wes-traceparent'
