// A new link to the dashboard of a runtime of the same user.

import { randomBytes } from 'node:crypto'
import type { RuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { linkProof } from '#runtime/identity/identity-proof.ts'

export type NewLink =
  | { readonly kind: 'link'; readonly url: string }
  /** The runtime returned none. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'no_answer' }

const ANSWER_WITHIN_MS = 5_000

/** `info`: of a runtime that has proven its identity. A runtime without sessions gets a link without a code. */
export const newLink = async (info: RuntimeInfo, withinMs = ANSWER_WITHIN_MS): Promise<NewLink> => {
  try {
    return await askForLink(info, AbortSignal.timeout(withinMs))
  } catch {
    return { kind: 'no_answer' }
  }
}

const askForLink = async (info: RuntimeInfo, signal: AbortSignal): Promise<NewLink> => {
  const { port, instanceId, secret, token } = info
  const challenge = randomBytes(32).toString('base64url')
  const answer = await fetch(`http://127.0.0.1:${port}/local/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ challenge, proof: linkProof(secret, { challenge, instanceId, port }) }),
    signal,
  })
  if (!answer.ok) return { kind: 'refused', status: answer.status }
  // Another process may hold the other address of `localhost`, so the runtime says where its page is.
  const { code, page } = (await answer.json()) as { readonly code: string | null; readonly page: string }
  return { kind: 'link', url: typeof code === 'string' ? `${page}#code=${code}` : page }
}
