// Removes the token from answers before the page gets them: a service may repeat it, such as in an error that shows the
// request. This finds the token itself and its forms in JSON and percent-encoding. It finds no other form: only a hostile
// service would use one, and that has the token anyway.

import { Buffer } from 'node:buffer'

/** Every character of the token becomes `*`, so that JSON stays JSON. */
export type WithheldToken = {
  inText(text: string): string
  /** Holds back only the end of a chunk that may be the beginning of the token. Changes the chunks in place. */
  inBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array>
}

/** Shorter tokens are not secret, and occur in ordinary text. */
const SHORTEST = 8

export const withholdToken = (token: string): WithheldToken => {
  const forms = token.length < SHORTEST ? [] : formsOf(token)
  return {
    inText: (text) => forms.reduce((left, form) => left.replaceAll(form, '*'.repeat(form.length)), text),
    inBody: (body) =>
      forms.length === 0 ? body : body.pipeThrough(maskingStream(forms.map((form) => Buffer.from(form)))),
  }
}

/** One for a token of our own service: it has letters, digits, `-` and `_` only. */
const formsOf = (token: string): readonly string[] => [
  ...new Set([token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)]),
]

const NOTHING: Uint8Array = new Uint8Array(0)

const maskingStream = (forms: readonly Buffer[]): TransformStream<Uint8Array, Uint8Array> => {
  let held = NOTHING
  return new TransformStream({
    transform: (chunk, controller) => {
      const part =
        held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.concat([held, chunk])
      for (const form of forms) mask(part, form)
      const end = part.length - Math.max(...forms.map((form) => begunLength(part, form)))
      held = end === part.length ? NOTHING : Uint8Array.from(part.subarray(end))
      if (end > 0) controller.enqueue(part.subarray(0, end))
    },
    flush: (controller) => {
      if (held.length > 0) controller.enqueue(held)
    },
  })
}

const mask = (part: Buffer, form: Buffer): void => {
  for (let at = part.indexOf(form); at !== -1; at = part.indexOf(form, at + form.length)) {
    part.fill('*', at, at + form.length)
  }
}

/** How many bytes at the end may be the beginning of the form. */
const begunLength = (part: Buffer, form: Buffer): number => {
  const first = form[0]!
  const from = Math.max(0, part.length - form.length + 1)
  for (let at = part.indexOf(first, from); at !== -1; at = part.indexOf(first, at + 1)) {
    if (part.subarray(at).equals(form.subarray(0, part.length - at))) return part.length - at
  }
  return 0
}
