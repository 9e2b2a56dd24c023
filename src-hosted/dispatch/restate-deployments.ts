// Tells Restate where workers are. Each address is a deployment: what a worker began is continued at the same address only,
// and new work goes to the address that was registered last. So a new release of workers has a new address, and the old
// one goes once nothing on it is unfinished.

import { Type, type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'

/** An address of workers, as Restate knows it. */
export type RestateDeployment = { readonly id: string; readonly uri: string }

export type RestateDeployments = {
  /** Registers the address of this worker, or of several behind one address. Answers the deployment's id. */
  register(workerUrl: string): Promise<string>
  /** Removes every other deployment on which nothing is unfinished, and answers the rest. Does nothing unless it is the latest. */
  retireOthers(id: string): Promise<readonly RestateDeployment[]>
  /** Whether Restate knows no worker at all: then nobody is asked for work. */
  isEmpty(): Promise<boolean>
  /** Removes a deployment; what is unfinished there ends, and the sweeper asks for it again. */
  abandon(id: string): Promise<void>
  /** The same for every other deployment. */
  abandonOthers(id: string): Promise<void>
}

const ANSWER_WITHIN_MS = 30_000

const Registered = Type.Object({ id: Type.String() })
const Listed = Type.Object({ deployments: Type.Array(Type.Object({ id: Type.String(), uri: Type.String() })) })
const Latest = Type.Object({ services: Type.Array(Type.Object({ deployment_id: Type.String() })) })
const Invocations = Type.Object({ rows: Type.Array(Type.Object({ id: Type.String() })) })

/** How many invocations are read, or ended, at once. */
const PAGE = 200
/** An invocation that was killed takes a moment to be gone. */
const LOOK_EVERY_MS = 20

export const createRestateDeployments = (adminUrl: string): RestateDeployments => {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await answer.text()
    if (answer.ok) return text === '' ? undefined : JSON.parse(text)
    throw new Error(`Restate answered ${answer.status} to ${method} ${path}: ${text.slice(0, 500)}`)
  }

  const read = async <Schema extends TSchema>(
    schema: Schema,
    ...[method, path, body]: Parameters<typeof call>
  ): Promise<Static<Schema>> => {
    const answer = await call(method, path, body)
    if (Check(schema, answer)) return answer
    throw new Error(`Restate's answer to ${method} ${path} has another shape than expected`)
  }

  const unfinishedOn = async (id: string): Promise<readonly string[]> => {
    if (!/^dp_\w+$/.test(id)) throw new Error(`"${id}" is no deployment's id`)
    const query = `SELECT id FROM sys_invocation WHERE pinned_deployment_id = '${id}' AND status <> 'completed' LIMIT ${PAGE}`
    return (await read(Invocations, 'POST', '/query', { query })).rows.map((row) => row.id)
  }

  const others = async (id: string): Promise<readonly RestateDeployment[]> => {
    const { deployments } = await read(Listed, 'GET', '/deployments')
    return deployments.filter((one) => one.id !== id)
  }

  /** Whether new work goes to it. An old worker that starts again must not remove the new one. */
  const isLatest = async (id: string): Promise<boolean> => {
    const { services } = await read(Latest, 'GET', '/services')
    return services.every((service) => service.deployment_id === id)
  }

  /** Several workers of a release may remove the same old one. */
  const remove = async (id: string): Promise<void> => {
    await call('DELETE', `/deployments/${id}?force=true`).catch(ignoreGone)
  }

  const abandon = async (id: string): Promise<void> => {
    for (let ids = await unfinishedOn(id); ids.length > 0; ids = await unfinishedOn(id)) {
      await Promise.all(ids.map((invocation) => call('PATCH', `/invocations/${invocation}/kill`).catch(ignoreGone)))
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    await remove(id)
  }

  return {
    // Without `force`: with it, what is under way at the address would go on in handlers of another shape.
    register: async (uri) => (await read(Registered, 'POST', '/deployments', { uri, force: false })).id,
    retireOthers: async (id) => {
      if (!(await isLatest(id))) return []
      const left: RestateDeployment[] = []
      for (const other of await others(id)) {
        if ((await unfinishedOn(other.id)).length === 0) await remove(other.id)
        else left.push(other)
      }
      return left
    },
    isEmpty: async () => (await others('')).length === 0,
    abandon,
    abandonOthers: async (id) => {
      for (const other of await others(id)) await abandon(other.id)
    },
  }
}

/** It has ended, or was removed, since it was read. */
const ignoreGone = (error: unknown): void => {
  if (!(error instanceof Error && error.message.includes('answered 404'))) throw error
}
