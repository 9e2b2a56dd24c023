// Reading and replacing the Triggers of a project.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import { chooseProject } from '../../src-runtime/operations/choose-project.ts'
import { findProgram, unknownProgram } from '../../src-runtime/operations/find-program.ts'
import { secretContext } from '../environment/secret-contexts.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { projectOfPath } from '../shared/project-of-path.ts'
import { checkNewTriggers, itemsOf } from './check-new-triggers.ts'
import { planReplacement, type ReplacePlan } from './replace-plan.ts'
import { showTriggers, type ShownTriggers } from './show-trigger.ts'
import { newPublicId, newSigningSecret } from './signatures.ts'

type ReadPorts = Pick<HostedPorts, 'store' | 'defaultProjectId' | 'tenant' | 'hooksUrl' | 'principal'>

type VersionedTriggers = { readonly etag: string; readonly triggers: ShownTriggers }

export const listTriggers = async (
  ports: ReadPorts,
  { path, header }: { readonly path: string; readonly header: string | undefined },
): Promise<VersionedTriggers> => {
  const { revision, items } = await ports.tenant.triggers.list(await projectOfPath(ports, { path, header }))
  return { etag: etagOf(revision), triggers: showTriggers(items, ports) }
}

export const listProgramTriggers = async (
  ports: ReadPorts,
  which: { readonly programId: string; readonly projectId: string | undefined },
): Promise<ShownTriggers> => {
  const projectId = await chooseProject(ports, which.projectId)
  const { id } = await findProgram(ports, projectId, which.programId)
  const { items } = await ports.tenant.triggers.list(projectId)
  return showTriggers(
    items.filter(({ programId }) => programId === id),
    ports,
  )
}

export const replaceTriggers = async (
  ports: ReadPorts & Pick<HostedPorts, 'ids' | 'now' | 'secrets'>,
  request: {
    readonly path: string
    readonly header: string | undefined
    readonly ifMatch: string | undefined
    readonly body: NewTriggers
  },
): Promise<VersionedTriggers> => {
  const { body, ifMatch } = request
  const { triggers } = ports.tenant
  const projectId = await projectOfPath(ports, request)
  const checkedAt = ports.now()
  const firstTimes = await checkNewTriggers(body, checkedAt)
  const programIds = [...new Set(itemsOf(body).map(({ programId }) => programId))]
  const [missing] = await triggers.missingPrograms(projectId, programIds)
  if (missing !== undefined) throw unknownProgram(projectId, missing)

  let plan: ReplacePlan | undefined
  const list = await triggers.replace(projectId, (current, now) => {
    if (ifMatch !== undefined && !matches(ifMatch, etagOf(current.revision))) throw preconditionFailed()
    // This process may not know yet that the database's clock was set back.
    const known = checkedAt > now ? new Map<never, never>() : firstTimes
    plan = planReplacement(projectId, body, known, current.items, now, {
      newId: () => ports.ids('trg'),
      newPublicId,
      newSecret: newSigningSecret,
      sealSecret: (id, secret) => ports.secrets.seal(secret, secretContext(id)),
      openSecret: (id, sealed) => ports.secrets.open(sealed, secretContext(id)),
    })
    return plan.items
  })
  return { etag: etagOf(list.revision), triggers: showTriggers(list.items, ports, plan?.shown) }
}

/** Within its project, which the path names. */
const etagOf = (revision: number): string => `"${revision}"`

/**
 * RFC 9110: any of several, or `*`. A proxy that compresses answers makes their ETags weak. These match too: the revision
 * identifies the list, whatever its encoding.
 */
const matches = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)

const preconditionFailed = (): ApiError =>
  new ApiError('precondition_failed', 'The Triggers were replaced since their ETag was read: read them again.')
