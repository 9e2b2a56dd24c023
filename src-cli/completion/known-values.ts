// What a service knows, to complete it in a shell. Nobody waits long for a completion, and an error would be printed into
// the line that is being typed: after a second, and when the service refuses, there is nothing to complete.

import { createClient, type ExecutionStatus, type List, type ServiceClient } from '#sdk/index.ts'
import { withLocalToken } from '../local-access.ts'
import { createProxiedFetch } from '../proxied-fetch.ts'
import { FINISHED, UNFINISHED } from '../statuses.ts'

export type Known = readonly [value: string, description: string]

export type Askable = keyof typeof QUESTIONS

type Question = {
  /** What has been typed of the value. */
  readonly begin: string
  /** Values of the options in the line, by their attribute. */
  readonly flags: Readonly<Record<string, string>>
  readonly operands: readonly string[]
}

/** Never rejects. */
export type KnownValues = (what: Askable, question: Question) => Promise<readonly Known[]>

const LIMIT_MS = 1_000

export const knownValues: KnownValues = async (what, question) => {
  try {
    const { url, token, projectId } = await withLocalToken(question.flags, process.env)
    const fetch = createProxiedFetch(process.env)
    return await QUESTIONS[what](
      createClient({ url, token, projectId, fetch, timeout: LIMIT_MS, maxRetries: 0 }),
      question,
    )
  } catch {
    return []
  }
}

const known = <Item>({ items }: List<Item>, read: (item: Item) => Known): readonly Known[] => items.map(read)

/** The newest ones that begin as what was typed. */
const executions = async (client: ServiceClient, begin: string, status?: readonly ExecutionStatus[]) =>
  known(await client.listExecutions({ limit: 50, q: begin || undefined, status }), (one) => [
    one.id,
    `${one.programId} ${one.status}, ${one.createdAt}`,
  ])

const QUESTIONS = {
  programs: async (client: ServiceClient) =>
    known(await client.listPrograms({ limit: 200 }), ({ id, description, latestVersion }) => [
      id,
      description ?? `version ${latestVersion.number}`,
    ]),
  executions: (client: ServiceClient, { begin }: Question) => executions(client, begin),
  unfinished: (client: ServiceClient, { begin }: Question) => executions(client, begin, UNFINISHED),
  finished: (client: ServiceClient, { begin }: Question) => executions(client, begin, FINISHED),
  /** Of the newest Executions. */
  labels: async (client: ServiceClient, { begin }: Question) => {
    const { items } = await client.listExecutions({ limit: 50, label: begin || undefined })
    const labels = new Map(items.map(({ label, programId, status }) => [label, `${programId} ${status}`]))
    return [...labels].flatMap(([label, about]): Known[] => (label === undefined ? [] : [[label, about]]))
  },
  /** Of the events that an Execution waits for. */
  events: async (client: ServiceClient, { operands: [id = ''] }: Question) => {
    const { waitingFor } = await client.getExecution(id)
    return waitingFor.flatMap((one): Known[] =>
      one.kind === 'event' ? [[one.name, `awaited since ${one.since}`]] : [],
    )
  },
  versions: async (client: ServiceClient, { operands: [id = ''] }: Question) =>
    known(await client.listProgramVersions(id, { limit: 200 }), ({ number, createdAt }) => [String(number), createdAt]),
  projects: async (client: ServiceClient) => known(await client.listProjects(), ({ id, name }) => [id, name]),
  triggers: async (client: ServiceClient, { flags }: Question) =>
    known(await client.listTriggers(flags['projectId'] ?? 'default'), (one) => [
      one.id,
      `${one.type} of ${one.programId}${one.name === undefined ? '' : `, ${one.name}`}`,
    ]),
  variables: async (client: ServiceClient, { flags }: Question) =>
    known(await client.getEnvironment(flags['projectId'] ?? 'default'), ({ name, updatedAt }) => [name, updatedAt]),
} as const
