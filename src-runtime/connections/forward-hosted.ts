// Forwards the page's requests to the service of a saved connection, with its token. The token goes to that address only.

import { untilAborted } from '../shared/fair-places.ts'
import type { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'
import type { SavedConnection } from './models.ts'
import { createOpenExchanges } from './open-exchanges.ts'
import { ConnectionProblem } from './problems.ts'
import type { ServiceCheck } from './service-check.ts'
import { hostOf } from './service-address.ts'
import type { Target } from './service-problems.ts'
import { TokenLockedError } from './token-keeper.ts'

/** `path`: `/v1/…`, with its query. */
export type ForwardHosted = (id: string, path: string, request: Request) => Promise<Response>

export const createForwardHosted = (
  connections: Connections,
  services: ServiceCheck,
  exchange: Exchange,
): ForwardHosted => {
  const openExchange = createOpenExchanges(connections)

  const forward: ForwardHosted = async (id, path, request) => {
    const { method, headers, body } = request
    // Before the token is read, so that no replacement is missed.
    const open = openExchange(id)
    const signal = AbortSignal.any([request.signal, open.signal])
    let target: Target | undefined
    try {
      const connection = savedConnection(connections, id)
      target = targetOf(connection)
      const token = await tokenFor(connections, connection)
      await untilAborted(services.check(target), signal)
      const forwarded = { method, headers, body, path, signal, onClosed: open.end }
      return await exchange(target, token, forwarded)
    } catch (error) {
      open.end()
      if (request.signal.aborted) throw error
      if (open.signal.aborted) {
        const connection = savedConnection(connections, id)
        // Nothing of the answer has been passed on.
        if (method === 'GET' || method === 'HEAD') return forward(id, path, request)
        throw tokenReplaced(connection)
      }
      if (target !== undefined) services.forget(target)
      throw error
    }
  }
  return forward
}

export const savedConnection = ({ find }: Pick<Connections, 'find'>, id: string): SavedConnection => {
  const connection = find(id)
  if (connection !== undefined) return connection
  const message = `There is no connection ${id.slice(0, 40)} here. Add it, or choose another one.`
  throw new ConnectionProblem('connection_not_found', message)
}

export const targetOf = ({ name, address }: SavedConnection): Target => ({
  address,
  label: `${name} (${hostOf(address)})`,
})

export const tokenFor = async (
  { readToken }: Pick<Connections, 'readToken'>,
  { id, name }: SavedConnection,
): Promise<string> => {
  try {
    const token = await readToken(id)
    if (token !== undefined) return token
  } catch (error) {
    if (!(error instanceof TokenLockedError)) throw error
    const message = `The token of ${name} cannot be read now: the keychain is locked or unavailable. Unlock it and try again.`
    throw new ConnectionProblem('token_locked', message)
  }
  const message = `There is no token for ${name}: it was kept for an earlier run only, or was removed from the keychain. Enter the token again.`
  throw new ConnectionProblem('token_missing', message)
}

const tokenReplaced = ({ name }: SavedConnection): ConnectionProblem =>
  new ConnectionProblem(
    'unreachable',
    `The token of ${name} was replaced before the answer came. Check whether the change was made, then try again.`,
  )
