// The messages of an error's causes, behind its own.

import { type Cause, causesOf } from './error-cause.ts'

/** `fetch failed` alone does not say why. An error of an effect has the message of its cause. */
export const withCauses = (text: string, { cause }: { readonly cause?: Cause | undefined }): string =>
  causesOf(cause).reduce(
    (said, { message }) => (said.includes(message) ? said : said === '' ? message : `${said}: ${message}`),
    text,
  )
