// The environment of a project's effects. Values are sealed before they are stored, and nothing shows them again.

import {
  ENVIRONMENT_LIMIT,
  ENVIRONMENT_LIMIT_BYTES,
  ENVIRONMENT_NAME_PATTERN,
  ENVIRONMENT_VALUE_LIMIT_BYTES,
  type EnvironmentChange,
  type EnvironmentVariable,
} from '../../src-runtime/contract/access-models.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { toWire, wireList, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { projectOfPath } from '../shared/project-of-path.ts'
import type { EnvironmentRecord } from '../store/tenancy.ts'
import { valueContext } from './secret-contexts.ts'

type ShownEnvironment = WireJson<{ items: EnvironmentVariable[]; nextCursor: string | null }>
type EnvironmentPorts = Pick<HostedPorts, 'store' | 'defaultProjectId' | 'tenant'>
type WhichProject = { readonly path: string; readonly header: string | undefined }

export const getEnvironment = async (ports: EnvironmentPorts, which: WhichProject): Promise<ShownEnvironment> =>
  showEnvironment(await ports.tenant.environment.list(await projectOfPath(ports, which)))

export const changeEnvironment = async (
  ports: EnvironmentPorts & Pick<HostedPorts, 'secrets'>,
  { body, ...which }: WhichProject & { readonly body: EnvironmentChange },
): Promise<ShownEnvironment> => {
  const projectId = await projectOfPath(ports, which)
  const set = Object.entries(body.set ?? {})
  const remove = body.remove ?? []
  for (const [name, value] of set) refuseUnusable(name, value)
  const both = remove.find((name) => set.some(([one]) => one === name))
  if (both !== undefined)
    throw new ApiError('invalid_request', `body/remove has ${quoted(both)}, which body/set has too`)
  const changed = await ports.tenant.environment.change(projectId, {
    set: set.map(([name, value]) => ({ name, sealed: ports.secrets.seal(value, valueContext(projectId, name)) })),
    remove,
    most: ENVIRONMENT_LIMIT,
    mostBytes: ENVIRONMENT_LIMIT_BYTES,
  })
  if (changed === 'too_many') {
    throw new ApiError('invalid_request', `body/set makes more than ${ENVIRONMENT_LIMIT} names in this project`)
  }
  if (changed === 'too_large') {
    throw new ApiError('invalid_request', 'body/set makes the values of this project larger than 1 MiB together')
  }
  return showEnvironment(changed)
}

const NAME = new RegExp(ENVIRONMENT_NAME_PATTERN)

const refuseUnusable = (name: string, value: string): void => {
  if (!NAME.test(name)) {
    throw new ApiError(
      'invalid_request',
      `body/set/${quoted(name)} cannot be set: a name has 1 to 128 letters (A to Z), digits and _, does not begin with a digit or with NODE_, LD_, DYLD_ or WES_, and is not PATH`,
    )
  }
  // No process can be given a value that holds the character which ends it.
  if (value.includes('\0')) {
    throw new ApiError('invalid_request', `body/set/${quoted(name)} must not have U+0000 in it`)
  }
  if (!value.isWellFormed()) {
    throw new ApiError('invalid_request', `body/set/${quoted(name)} must be well-formed Unicode`)
  }
  if (Buffer.byteLength(value) > ENVIRONMENT_VALUE_LIMIT_BYTES) {
    throw new ApiError('invalid_request', `body/set/${quoted(name)} must not have more than 32 KiB`)
  }
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80))

const showEnvironment = (records: readonly EnvironmentRecord[]): ShownEnvironment =>
  wireList(
    records.map(({ name, createdAt, updatedAt }) =>
      toWire({ name, createdAt: iso(createdAt), updatedAt: iso(updatedAt) }),
    ),
    null,
  )
