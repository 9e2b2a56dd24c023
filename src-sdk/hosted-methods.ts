// Methods beyond the interface specification for what only the hosted service has. A local runtime refuses each of them
// with `hosted_only`.

import { checkHeaderValue } from './address.ts'
import type { List, Page } from './contract-types.ts'
import type {
  BillingPlan,
  CreatedToken,
  EnvironmentChange,
  EnvironmentVariable,
  Invoice,
  NewToken,
  NewTrigger,
  Token,
  Trigger,
  TriggerList,
  Usage,
  UsageQuery,
  Workspace,
} from './hosted-types.ts'
import { optionalMember, pageQuery, path, query } from './request-parts.ts'
import { present, type Transport, type TransportRequest } from './transport.ts'

/** A project is named by its id; `default` is the workspace's default project. */
export type HostedMethods = {
  /** The token's workspace, with its limits. */
  getWorkspace(this: void): Promise<Workspace>
  /** Needs the role `admin`, like all that changes a workspace, its tokens and the environment. */
  updateWorkspace(this: void, change: { readonly name: string }): Promise<Workspace>
  /** Newest first, without secrets. Needs the role `admin`. */
  listTokens(this: void, page?: Page): Promise<List<Token>>
  /** Resolves with the secret, which is not shown again. */
  createToken(this: void, token: NewToken): Promise<CreatedToken>
  /** Within 5 s, the token is refused everywhere. */
  revokeToken(this: void, id: Token['id']): Promise<void>
  /** Names and times of what is set for the project's effects. */
  getEnvironment(this: void, projectId: string): Promise<List<EnvironmentVariable>>
  /** Effects that begin 5 s later have the new values. What is not named stays as it is. */
  changeEnvironment(this: void, projectId: string, change: EnvironmentChange): Promise<List<EnvironmentVariable>>
  /** All of them, in the order of the project's list. */
  listProgramTriggers(this: void, programId: string): Promise<List<Trigger>>
  /** All of them. The `etag` is for `replaceTriggers`. */
  listTriggers(this: void, projectId: string): Promise<TriggerList>
  /**
   * Replaces all Triggers of a project, or none. Those whose `id` is not in the list are removed. A Trigger may be sent
   * back as it came: what only the service sets is ignored. With `ifMatch`, rejects
   * with `precondition_failed` when the list was replaced since that ETag was read. Rejects where `ifMatch` is given and
   * undefined, because the list came without an ETag.
   */
  replaceTriggers(
    this: void,
    projectId: string,
    triggers: readonly (NewTrigger | Trigger)[],
    options?: { readonly ifMatch?: string | undefined },
  ): Promise<TriggerList>
  /** Fires a Trigger by hand. An input replaces the Trigger's own. */
  fireTrigger(
    this: void,
    projectId: string,
    id: Trigger['id'],
    input?: unknown,
  ): Promise<{ readonly executionId: string }>
  /** What the workspace used on the days asked for, and the total. */
  getUsage(this: void, query?: UsageQuery): Promise<Usage>
  /** What a month includes, and the prices beyond. */
  getBillingPlan(this: void): Promise<BillingPlan>
  /** Of months that have ended, newest first. */
  listInvoices(this: void, page?: Page): Promise<List<Invoice>>
  /** What this month costs so far. */
  getUpcomingInvoice(this: void): Promise<Invoice>
}

const WORKSPACE = '/v1/workspaces/current'
const NO_ETAG =
  'The list of Triggers came without an ETag. Replacing it could undo a change that somebody else makes meanwhile. A proxy in front of the service may have removed the header.'

export const hostedMethods = (transport: Transport, get: <Answer>(path: string) => Promise<Answer>): HostedMethods => {
  const read = async <Answer>(request: TransportRequest): Promise<Answer> =>
    present<Answer>(await transport(request), request.path)
  const readTriggers = async (request: TransportRequest): Promise<TriggerList> => {
    const answer = await transport(request)
    return { ...present<List<Trigger>>(answer, request.path), etag: answer.header('etag') }
  }

  return {
    getWorkspace: async () => get(WORKSPACE),
    updateWorkspace: async ({ name }) => read({ method: 'PATCH', path: WORKSPACE, body: { name } }),
    listTokens: async (page) => get(`${WORKSPACE}/tokens${pageQuery(page)}`),
    createToken: async ({ name, role, expiresAt }) =>
      read({ method: 'POST', path: `${WORKSPACE}/tokens`, body: { name, role, expiresAt } }),
    revokeToken: async (id) => {
      await transport({ method: 'DELETE', path: WORKSPACE + path`/tokens/${id}` })
    },
    getEnvironment: async (projectId) => read({ method: 'GET', ...inProject(projectId, '/environment') }),
    changeEnvironment: async (projectId, { set, remove }) =>
      read({ method: 'PUT', ...inProject(projectId, '/environment'), body: { set, remove } }),
    listProgramTriggers: async (programId) => get(path`/v1/programs/${programId}/triggers`),
    listTriggers: async (projectId) => readTriggers({ method: 'GET', ...inProject(projectId, '/triggers') }),
    replaceTriggers: async (projectId, triggers, options = {}) => {
      const { ifMatch } = options
      if ('ifMatch' in options && ifMatch === undefined) throw new TypeError(NO_ETAG)
      const { path, headers } = inProject(projectId, '/triggers')
      return readTriggers({
        method: 'PUT',
        path,
        body: { triggers },
        headers: { ...headers, ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) },
      })
    },
    fireTrigger: async (projectId, id, input) =>
      read({
        method: 'POST',
        ...inProject(projectId, path`/triggers/${id}/fire`),
        body: optionalMember('input', input),
      }),
    getUsage: async (asked) => get(`/v1/usage${query({ from: asked?.from, to: asked?.to, groupBy: asked?.groupBy })}`),
    getBillingPlan: async () => get('/v1/billing/plan'),
    listInvoices: async (page) => get(`/v1/billing/invoices${pageQuery(page)}`),
    getUpcomingInvoice: async () => get('/v1/billing/invoices/upcoming'),
  }
}

/** The path chooses the project, whichever one the client works in. */
const inProject = (projectId: string, below: string) => ({
  path: path`/v1/projects/${projectId}` + below,
  headers: { 'X-Service-Project-Id': checkHeaderValue('The projectId', projectId) },
})
