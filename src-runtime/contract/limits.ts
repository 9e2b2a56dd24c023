// Sizes and counts that the contract states.

export const BODY_LIMIT_BYTES = 1024 * 1024
/** Input, payload and result, as JSON text. */
export const VALUE_LIMIT_BYTES = 1024 * 1024
/** What a page takes whose items may be large; most take less. */
export const PAGE_BYTES = 8 * 1024 * 1024
export const PAGE_LIMIT_DEFAULT = 50
export const PAGE_LIMIT_MAX = 200
export const HOLD_LIMIT_SECONDS = 60
export const IDEMPOTENCY_KEY_LIMIT = 255
/** Characters of an Execution's label. */
export const LABEL_LIMIT = 200
/** Characters of the input that lists show. */
export const INPUT_PREVIEW_LIMIT = 200
/** A reader that missed more than half of this is told to read everything again. */
export const STREAM_BACKLOG_LIMIT_BYTES = 1024 * 1024
/** Answers that are held on one connection; further ones are answered at once. */
export const HELD_ON_CONNECTION_LIMIT = 16
export const STREAM_COMMENT_INTERVAL_MS = 15_000
/** Of one workspace of the hosted service. */
export const PROJECTS_LIMIT = 1_000
export const TOKENS_LIMIT = 1_000
/** Executions of which one filter finds what runs them again. */
export const AGAIN_OF_MAX = 100
/** Executions that one bulk may concern. */
export const BULK_LIMIT = 100_000
export const METRICS_POINTS_LIMIT = 1_000
export const METRICS_STEP_MIN_MS = 1_000
export const METRICS_STEP_MAX_MS = 30 * 24 * 60 * 60 * 1_000
