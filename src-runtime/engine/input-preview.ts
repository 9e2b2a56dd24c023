import type { JsonText } from './journal.ts'

const PREVIEW_CHARACTERS = 200

const BEFORE_INPUT = '{"input":'

/** The first characters of an input's JSON, never half of a surrogate pair. `data` is `{ input? }`. */
export const inputPreview = (data: JsonText): string | undefined => {
  if (!data.startsWith(BEFORE_INPUT)) return undefined
  const end = Math.min(BEFORE_INPUT.length + PREVIEW_CHARACTERS, data.length - '}'.length)
  const preview = data.slice(BEFORE_INPUT.length, end)
  return preview.isWellFormed() ? preview : preview.slice(0, -1)
}
