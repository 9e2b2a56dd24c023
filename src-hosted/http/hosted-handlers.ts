// The handlers of the operations that only the hosted service serves.

import type { OperationsOf } from '../../src-runtime/contract/operations.ts'
import type { Handlers } from '../../src-runtime/http/handler.ts'
import { getBillingPlan, getUpcomingInvoice, listInvoices } from '../billing/invoices.ts'
import { changeEnvironment, getEnvironment } from '../environment/environment.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { createToken, listTokens, revokeToken } from '../tokens/tokens.ts'
import { getWorkspace, updateWorkspace, whoAmI } from '../tokens/workspaces.ts'
import { fireTrigger } from '../triggers/fire-trigger.ts'
import { listProgramTriggers, listTriggers, replaceTriggers } from '../triggers/triggers.ts'
import { getUsage } from '../usage/get-usage.ts'

type HostedOnly = Exclude<OperationsOf<'hosted'>, OperationsOf<'local'>>

export const hostedOnlyHandlers: Handlers<HostedOnly, HostedPorts> = {
  whoAmI: async (ports) => ({ status: 200, json: await whoAmI(ports) }),
  getWorkspace: async (ports) => ({ status: 200, json: await getWorkspace(ports) }),
  updateWorkspace: async (ports, { body }) => ({ status: 200, json: await updateWorkspace(ports, body) }),
  listTokens: async (ports, { query }) => ({ status: 200, json: await listTokens(ports, query) }),
  createToken: async (ports, { body }) => ({ status: 201, json: await createToken(ports, body) }),
  revokeToken: async (ports, { params }) => {
    await revokeToken(ports, params.id)
    return { status: 204 }
  },
  getEnvironment: async (ports, { params, projectId }) => ({
    status: 200,
    json: await getEnvironment(ports, { path: params.projectId, header: projectId }),
  }),
  changeEnvironment: async (ports, { params, projectId, body }) => ({
    status: 200,
    json: await changeEnvironment(ports, { path: params.projectId, header: projectId, body }),
  }),
  listProgramTriggers: async (ports, { params, projectId }) => ({
    status: 200,
    json: await listProgramTriggers(ports, { programId: params.id, projectId }),
  }),
  listTriggers: async (ports, { params, projectId }) => {
    const { etag, triggers } = await listTriggers(ports, { path: params.projectId, header: projectId })
    return { status: 200, json: triggers, headers: { etag } }
  },
  replaceTriggers: async (ports, { params, projectId, headers, body }) => {
    const ifMatch = headers['if-match']
    const { etag, triggers } = await replaceTriggers(ports, {
      path: params.projectId,
      header: projectId,
      ifMatch,
      body,
    })
    return { status: 200, json: triggers, headers: { etag } }
  },
  fireTrigger: async (ports, { params, projectId, body }) => ({
    status: 202,
    json: await fireTrigger(ports, { path: params.projectId, header: projectId, triggerId: params.id, body }),
  }),
  getUsage: async (ports, { query }) => ({ status: 200, json: await getUsage(ports, query) }),
  getBillingPlan: async (ports) => ({ status: 200, json: await getBillingPlan(ports) }),
  listInvoices: async (ports, { query }) => ({ status: 200, json: await listInvoices(ports, query) }),
  getUpcomingInvoice: async (ports) => ({ status: 200, json: await getUpcomingInvoice(ports) }),
}
