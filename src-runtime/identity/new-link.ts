// A new link to the dashboard of a runtime of the same user.

import { randomBytes } from 'node:crypto'
import { linkProof } from './identity-proof.ts'
import type { Owner } from './prove-identity.ts'

/** `token`: its access token. */
export type LinkOwner = Owner & { readonly instanceId: string; readonly token?: string }

export type NewLink =
  | { readonly kind: 'link'; readonly url: string }
  /** The runtime returned none. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'no_answer' }

const ANSWER_WITHIN_MS = 5_000

type Send = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body: string
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>

type Options = {
  readonly send?: Send
  readonly withinMs?: number
  /** Only a browser of this user gets a session: for a link that is not printed but opened. */
  readonly onlySameUser?: boolean
}

/** `owner`: a runtime that has proven its identity. A runtime without sessions gets a link without a code. */
export const newLink = async (owner: LinkOwner, options: Options = {}): Promise<NewLink> => {
  const { send = fetch, withinMs = ANSWER_WITHIN_MS, onlySameUser = false } = options
  try {
    return await askForLink(owner, send, onlySameUser, AbortSignal.timeout(withinMs))
  } catch {
    return { kind: 'no_answer' }
  }
}

const askForLink = async (
  { port, instanceId, secret, token }: LinkOwner,
  send: Send,
  onlySameUser: boolean,
  signal: AbortSignal,
): Promise<NewLink> => {
  const challenge = randomBytes(32).toString('base64url')
  const answer = await send(`http://127.0.0.1:${port}/local/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({
      challenge,
      proof: linkProof(secret, { challenge, instanceId, port }),
      ...(onlySameUser && { onlySameUser }),
    }),
    redirect: 'manual',
    signal,
  })
  if (answer.status !== 201) return { kind: 'refused', status: answer.status }
  // Another process may hold the other address of `localhost`, so the runtime says where its page is.
  const { code, page } = JSON.parse(await answer.text()) as { readonly code: string | null; readonly page: string }
  return { kind: 'link', url: typeof code === 'string' ? `${page}#code=${code}` : page }
}
