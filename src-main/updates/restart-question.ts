// What a restart for an update means for Executions, as text. Pure.

import type { ServiceClient } from '../../src-sdk/create-client.ts'
import type { Update } from '../preload/desktop-api.ts'

/** Of the app's own runtime. `idle`: nothing that a restart would interrupt. */
export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'unknown' }
  /** `inEffects`: the part of them whose effects run, or wait for their next attempt. */
  | { readonly kind: 'active'; readonly running: number; readonly waiting: number; readonly inEffects: number }

export type RestartAnswer = 'now' | 'on-quit' | 'later'

type Asked = Pick<ServiceClient, 'listProjects' | 'countExecutions' | 'listWaiting'>

/** Of all projects. `clientOf`: makes a client of one project. */
export const activityOf = async (clientOf: (projectId?: string) => Asked): Promise<Activity> => {
  let [running, waiting, inEffects] = [0, 0, 0]
  for (const { id } of (await clientOf().listProjects()).items) {
    const client = clientOf(id)
    const { counts } = await client.countExecutions()
    running += counts.queued + counts.running + counts.cancelling
    waiting += counts.waiting
    inEffects += await countInEffects(client)
  }
  const active = running + waiting
  // One that runs several effects is in several groups.
  return active === 0 ? { kind: 'idle' } : { kind: 'active', running, waiting, inEffects: Math.min(inEffects, active) }
}

const countInEffects = async (client: Pick<ServiceClient, 'listWaiting'>): Promise<number> => {
  let sum = 0
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await client.listWaiting({ limit: 200, ...(cursor !== undefined && { cursor }) })
    for (const { kind, count } of items) if (kind === 'effect') sum += count
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  return sum
}

/** `graceMs`: how long effects may go on when the runtime stops. */
export const restartQuestion = (
  { version }: Update,
  activity: Activity,
  graceMs: number,
): { readonly message: string; readonly detail: string } => ({
  message: `Restart now to install version ${version}?`,
  detail: [
    ...whatRuns(activity),
    `They are stored, and go on after the restart. ${effectsText(activity, graceMs)}`,
    'Clients cannot reach the runtime for some seconds.',
  ].join('\n\n'),
})

const whatRuns = (activity: Activity): readonly string[] => {
  if (activity.kind !== 'active') return ['The runtime did not say whether Executions are running.']
  const { running, waiting } = activity
  if (waiting === 0) return [`${executions(running)} running.`]
  return [running === 0 ? `${executions(waiting)} waiting.` : `${executions(running)} running, and ${waiting} waiting.`]
}

const effectsText = (activity: Activity, graceMs: number): string => {
  const rule = `Effects that run have ${graceMs / 1000} seconds to finish; those that do not finish run again.`
  if (activity.kind !== 'active') return rule
  const { inEffects } = activity
  if (inEffects === 0) return 'None of them runs an effect.'
  return `${inEffects} of them ${inEffects === 1 ? 'waits for an effect' : 'wait for effects'}. ${rule}`
}

const executions = (count: number): string => (count === 1 ? '1 Execution is' : `${count} Executions are`)
