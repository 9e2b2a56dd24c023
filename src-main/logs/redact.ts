// Removes secrets from logs and diagnostics.

const REPLACEMENT = '[removed]'

const NAME = '[\\w-]*(?:token|secret|password|passwd|authorization|cookie|api[-_]?key|wes-session)'

const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Whatever is before it: a line end in JSON and an encoded space end with a letter, too.
  [/wes_(?:dev_[\w-]{20,}|[0-9A-Za-z]{20,})/g, REPLACEMENT],
  [/\b(Bearer|Basic)(\s+)[\w+/=.~-]{6,}/gi, `$1$2${REPLACEMENT}`],
  // A member with a secret's name, in JSON and in JSON within a string.
  [new RegExp(`("${NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), `$1"${REPLACEMENT}"`],
  [new RegExp(`(\\\\"${NAME}\\\\"\\s*:\\s*)\\\\"[^"\\\\]*\\\\"`, 'gi'), `$1\\"${REPLACEMENT}\\"`],
  [/\b([A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|API_KEY))=[^\s"'\\]+/g, `$1=${REPLACEMENT}`],
  [/(\/\/[^\s/:@"]+:)[^\s/@"]+@/g, `$1${REPLACEMENT}@`],
  [/([?&#](?:token|access_token|challenge|key|code)=)[^&\s"']+/gi, `$1${REPLACEMENT}`],
]

export const redact = (text: string): string =>
  SECRETS.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text)
