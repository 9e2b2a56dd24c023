// Limits that the guest checks; the host checks the others.

export const MOST_COMMANDS = 10_000
/** Characters of output in one turn. */
export const MOST_OUTPUT = 16 * 1024 * 1024
export const MOST_TURN_LOGS = 1000
/** UTF-8 bytes. */
export const MOST_TURN_LOG_BYTES = 256 * 1024
export const LONGEST_LOG = 64 * 1024
/** UTF-8 bytes of the JSON of an effect's input. */
export const LARGEST_PAYLOAD = 1024 * 1024
export const DEEPEST_PAYLOAD = 256
/** Unicode characters. */
export const LONGEST_NAME = 200
export const LONGEST_LABEL = 200
/** Characters of a failure's message and of its stack. */
export const LONGEST_ERROR_TEXT = 32 * 1024
/** The number of causes of a failure, and the characters of each. */
export const MOST_CAUSES = 8
/** Of an error without a message, whose inner errors are read instead. */
export const MOST_INNER_ERRORS = 10
export const MOST_INNER_LEVELS = 3
export const LONGEST_CAUSE_NAME = 200
export const LONGEST_CAUSE_MESSAGE = 4096
export const LONGEST_CAUSE_STACK = 8192
export const LATEST_DATE_MS = 8.64e15
