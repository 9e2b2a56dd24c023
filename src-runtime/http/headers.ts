// Headers that are the same on every answer of a kind.

/** Of an answer without a body. */
export const BARE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

export const API_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  ...BARE_HEADERS,
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  ...BARE_HEADERS,
  // nginx sends on what has come, instead of collecting it first.
  'x-accel-buffering': 'no',
}
