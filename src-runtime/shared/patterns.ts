// Patterns of texts in JSON Schemas.

/** Of a name that may have every other character. */
export const NUL_FREE_PATTERN = '^[^\\u0000]*$'
export const DAY_PATTERN = '^\\d{4}-\\d\\d-\\d\\d$'
