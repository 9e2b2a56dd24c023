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
import {
  type CallOptions,
  type Get,
  hasId,
  hasItems,
  hasList,
  hasText,
  type Transport,
  type TransportRequest,
} from './transport.ts'

/** A project is named by its id; `default` is the workspace's default project. */
export type HostedMethods = {
  /** The token's workspace, with its limits. */
  getWorkspace(this: void, options?: CallOptions): Promise<Workspace>
  /** Needs the role `admin`, like all that changes a workspace, its tokens and the environment. */
  updateWorkspace(this: void, change: { readonly name: string }, options?: CallOptions): Promise<Workspace>
  /** Newest first, without secrets. Needs the role `admin`. */
  listTokens(this: void, page?: Page, options?: CallOptions): Promise<List<Token>>
  /** Resolves with the secret, which is not shown again. */
  createToken(this: void, token: NewToken, options?: CallOptions): Promise<CreatedToken>
  /** Within 5 s, the token is refused everywhere. */
  revokeToken(this: void, id: Token['id'], options?: CallOptions): Promise<void>
  /** Names and times of what is set for the project's effects. */
  getEnvironment(this: void, projectId: string, options?: CallOptions): Promise<List<EnvironmentVariable>>
  /** Effects that begin 5 s later have the new values. What is not named stays as it is. */
  changeEnvironment(
    this: void,
    projectId: string,
    change: EnvironmentChange,
    options?: CallOptions,
  ): Promise<List<EnvironmentVariable>>
  /** All of them, in the order of the project's list. */
  listProgramTriggers(this: void, programId: string, options?: CallOptions): Promise<List<Trigger>>
  /** All of them. The `etag` is for `replaceTriggers`. */
  listTriggers(this: void, projectId: string, options?: CallOptions): Promise<TriggerList>
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
    options?: CallOptions & { readonly ifMatch?: string | undefined },
  ): Promise<TriggerList>
  /** Fires a Trigger by hand. An input replaces the Trigger's own. */
  fireTrigger(
    this: void,
    projectId: string,
    id: Trigger['id'],
    input?: unknown,
    options?: CallOptions,
  ): Promise<{ readonly executionId: string }>
  /** What the workspace used on the days asked for, and the total. */
  getUsage(this: void, query?: UsageQuery, options?: CallOptions): Promise<Usage>
  /** What a month includes, and the prices beyond. */
  getBillingPlan(this: void, options?: CallOptions): Promise<BillingPlan>
  /** Of months that have ended, newest first. */
  listInvoices(this: void, page?: Page, options?: CallOptions): Promise<List<Invoice>>
  /** What this month costs so far. */
  getUpcomingInvoice(this: void, options?: CallOptions): Promise<Invoice>
}

const WORKSPACE = '/v1/workspaces/current'
const NO_ETAG =
  'The list of Triggers came without an ETag. Replacing it could undo a change that somebody else makes meanwhile. A proxy in front of the service may have removed the header.'

export const hostedMethods = (transport: Transport, get: Get): HostedMethods => {
  const read = async <Answer>(request: TransportRequest): Promise<Answer> => (await transport<Answer>(request)).value
  const readTriggers = async (request: TransportRequest): Promise<TriggerList> => {
    const { value, header } = await transport<List<Trigger>>({ ...request, isAnswer: hasItems })
    return { ...value, etag: header('etag') }
  }

  return {
    getWorkspace: async (options) => get(WORKSPACE, hasId, options),
    updateWorkspace: async ({ name }, options) =>
      read({ method: 'PATCH', path: WORKSPACE, body: { name }, isAnswer: hasId, options }),
    listTokens: async (page, options) => get(`${WORKSPACE}/tokens${pageQuery(page)}`, hasItems, options),
    createToken: async ({ name, role, expiresAt }, options) =>
      read({
        method: 'POST',
        path: `${WORKSPACE}/tokens`,
        body: { name, role, expiresAt },
        isAnswer: hasText('secret'),
        options,
      }),
    revokeToken: async (id, options) => {
      await transport({ method: 'DELETE', path: WORKSPACE + path`/tokens/${id}`, options })
    },
    getEnvironment: async (projectId, options) =>
      read({ method: 'GET', ...inProject(projectId, '/environment'), isAnswer: hasItems, options }),
    changeEnvironment: async (projectId, { set, remove }, options) =>
      read({
        method: 'PUT',
        ...inProject(projectId, '/environment'),
        body: { set, remove },
        isAnswer: hasItems,
        options,
      }),
    listProgramTriggers: async (programId, options) => get(path`/v1/programs/${programId}/triggers`, hasItems, options),
    listTriggers: async (projectId, options) =>
      readTriggers({ method: 'GET', ...inProject(projectId, '/triggers'), options }),
    replaceTriggers: async (projectId, triggers, options = {}) => {
      const { ifMatch } = options
      if ('ifMatch' in options && ifMatch === undefined) throw new TypeError(NO_ETAG)
      const { path, headers } = inProject(projectId, '/triggers')
      const withVersion = { ...headers, ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) }
      return readTriggers({ method: 'PUT', path, body: { triggers }, headers: withVersion, options })
    },
    fireTrigger: async (projectId, id, input, options) => {
      const to = inProject(projectId, path`/triggers/${id}/fire`)
      const body = optionalMember('input', input)
      return read({ method: 'POST', ...to, body, isAnswer: hasText('executionId'), options })
    },
    getUsage: async (asked, options) =>
      get(`/v1/usage${query({ from: asked?.from, to: asked?.to, groupBy: asked?.groupBy })}`, hasItems, options),
    getBillingPlan: async (options) => get('/v1/billing/plan', hasId, options),
    listInvoices: async (page, options) => get(`/v1/billing/invoices${pageQuery(page)}`, hasItems, options),
    getUpcomingInvoice: async (options) => get('/v1/billing/invoices/upcoming', hasList('lines'), options),
  }
}

/** The path chooses the project, whichever one the client works in. */
const inProject = (projectId: string, below: string) => ({
  path: path`/v1/projects/${projectId}` + below,
  headers: { 'X-Service-Project-Id': checkHeaderValue('The projectId', projectId) },
})
