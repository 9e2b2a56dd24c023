// Tests an address with a token, or a saved connection. Saves nothing.

import { Check } from 'typebox/schema'
import { WhoAmI } from '../contract/access-models.ts'
import { ProjectList } from '../contract/models.ts'
import { untilAborted } from '../shared/fair-places.ts'
import type { AskJson } from './ask-json.ts'
import type { Connections } from './connections.ts'
import { savedConnection, targetOf, tokenFor } from './forward-hosted.ts'
import type { ConnectionTest, ConnectionTestResult } from './models.ts'
import { ConnectionProblem } from './problems.ts'
import { hostOf, parseAddress } from './service-address.ts'
import type { ServiceCheck } from './service-check.ts'
import { notJson, type Target } from './service-problems.ts'

/** An answer that is neither a success nor a problem of ours is the service's own. */
export type TestConnection = (
  test: ConnectionTest,
  signal: AbortSignal,
) => Promise<ConnectionTestResult | { readonly refused: Response }>

const ANSWER_LIMIT_BYTES = 1024 * 1024

export const createTestConnection =
  (connections: Connections, services: ServiceCheck, askJson: AskJson): TestConnection =>
  async (test, signal) => {
    const { target, token } = await whatToTest(connections, test)
    services.forget(target)
    await untilAborted(services.check(target), signal)
    const get = (path: string) => askJson(target, token, path, { limitBytes: ANSWER_LIMIT_BYTES, signal })
    const { answer, json: whoAmI } = await get('/v1/whoami')
    if (answer.status !== 200) return { refused: again(target, answer, whoAmI) }
    if (!Check(WhoAmI, whoAmI)) throw notJson(target, answer.status, null)
    const { answer: projects, json: list } = await get('/v1/projects')
    if (projects.status !== 200) return { refused: again(target, projects, list) }
    if (!Check(ProjectList, list)) throw notJson(target, projects.status, null)
    const id = whoAmI.defaultProjectId
    const name = list.items.find((project) => project.id === id)?.name ?? id
    return { whoAmI, project: { id, name } }
  }

/** An answer that has been read. */
const again = (target: Target, { status, headers }: Response, json: unknown): Response => {
  if (json === undefined) throw notJson(target, status, null)
  return new Response(JSON.stringify(json), { status, headers })
}

const whatToTest = async (
  connections: Connections,
  test: ConnectionTest,
): Promise<{ readonly target: Target; readonly token: string }> => {
  if ('id' in test) {
    const connection = savedConnection(connections, test.id)
    return { target: targetOf(connection), token: test.token ?? (await tokenFor(connections, connection)) }
  }
  const parsed = parseAddress(test.address)
  if (parsed.kind === 'wrong') throw new ConnectionProblem('invalid_address', parsed.message)
  const { address } = parsed
  return { target: { address, label: hostOf(address) }, token: test.token }
}
