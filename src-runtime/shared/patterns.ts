// Patterns of texts in JSON Schemas.

/** Of a name that may have every other character. */
export const NUL_FREE_PATTERN = '^[^\\u0000]*$'
/** Of the id of a Program. */
export const PROGRAM_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
export const DAY_PATTERN = '^\\d{4}-\\d\\d-\\d\\d$'
