// Patterns of texts in JSON Schemas.

/** Of a name that may have every other character. */
export const NUL_FREE_PATTERN = '^[^\\u0000]*$'
/** Of a name without control characters and separators of lines. */
export const TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'
export const PROGRAM_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
/** ISO 8601: a date, or a time with its zone, without which it is ambiguous. */
export const TIME_PATTERN =
  '^(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(?:T([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d)(?:\\.\\d{1,9})?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?$'
export const DAY_PATTERN = '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$'
