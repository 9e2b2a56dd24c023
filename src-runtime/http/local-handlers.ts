// The handlers of a local runtime.

import type { OperationsOf } from '../contract/operations.ts'
import { getHealth, proveIdentity, type Identity } from '../operations/get-health.ts'
import { getRuntime } from '../operations/get-runtime.ts'
import { getSource } from '../operations/get-source.ts'
import type { LocalPorts } from '../ports/local-ports.ts'
import type { Handlers } from './handler.ts'
import { sharedHandlers } from './handlers.ts'
import { describeApi } from './describe-api.ts'

export const createLocalHandlers = (identity: Identity): Handlers<OperationsOf<'local'>, LocalPorts> => ({
  ...sharedHandlers,
  getHealth: (_, { query: { challenge } }) => ({
    status: 200,
    json: getHealth(identity, challenge === undefined ? undefined : proveIdentity(identity, challenge)),
  }),
  getOpenApi: describeApi(identity),
  getSource: async (ports) => ({ status: 200, json: await getSource(ports) }),
  getRuntime: async (ports) => ({ status: 200, json: await getRuntime(ports, identity) }),
})
