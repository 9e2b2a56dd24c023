// What a screen says while no runtime answers. Pure.

import type { Connection } from '../api/connection.ts'
import type { Failure } from '../api/failures.ts'
import type { RuntimeState } from '../desktop.ts'

/** `offers`: what the user can do about it here. The app does the rest by itself, or a notice of its own says more. */
export type WithoutRuntime = {
  readonly title: string
  readonly text: string
  readonly offers: 'start' | 'retry' | undefined
  /** A screen without data says it so well that no notice has to. */
  readonly isTold?: true
}

const SAFE = 'Executions are safe on disk. They continue as soon as the runtime is back.'

const WITHOUT_SERVICE: WithoutRuntime = {
  title: 'The service does not answer',
  text: 'This page tries again until it does. Executions go on without this page.',
  offers: 'retry',
}

/** The runtime forwards a page's requests to hosted services. */
const WITHOUT_FORWARDER: WithoutRuntime = {
  title: 'The runtime does not answer',
  text: 'It serves this page and forwards its requests to the service. This page tries again until it answers.',
  offers: 'retry',
}

/** Says who does not answer: the local runtime, the hosted service, or in a browser the runtime between both. */
export const whoIsMissing = (
  { kind, address }: Pick<Connection, 'kind' | 'address'>,
  failure: Pick<Failure, 'code'> | undefined,
  state: RuntimeState | null,
): WithoutRuntime => {
  if (kind === 'local') return withoutRuntime(state)
  const isForwarded = address !== undefined && state === null
  return isForwarded && failure?.code === 'network_error' ? WITHOUT_FORWARDER : WITHOUT_SERVICE
}

/** Each of the two parts of an upgrade has a progress of its own. */
export const upgradeProgress = (
  state: RuntimeState | null,
): { readonly text: string; readonly value: number; readonly max: number } | undefined => {
  if (state?.kind !== 'starting' || state.upgrade === undefined) return undefined
  const { upgrade } = state
  return upgrade.kind === 'copying'
    ? { text: `Copying it first: ${upgrade.percent}%`, value: upgrade.percent, max: 100 }
    : { text: `Step ${upgrade.step} of ${upgrade.steps}`, value: upgrade.step - 1, max: upgrade.steps }
}

/** null in a browser, which only knows that the runtime does not answer. */
export const withoutRuntime = (state: RuntimeState | null): WithoutRuntime => {
  switch (state?.kind) {
    case undefined:
    case 'ready':
      return {
        title: 'The runtime does not answer',
        text: `This page tries again until it does. ${SAFE}`,
        offers: 'retry',
      }
    case 'stopped':
      return { title: 'The runtime is stopped', text: SAFE, offers: 'start', isTold: true }
    case 'starting':
      if (state.upgrade !== undefined) {
        return {
          title: 'Your data is being upgraded',
          text: 'An older version of this app stored it. A copy of it is kept. This screen loads when the upgrade is done. If you quit meanwhile, the next start upgrades it.',
          offers: undefined,
          isTold: true,
        }
      }
      return {
        title: 'The runtime is starting',
        text: 'This screen loads as soon as the runtime answers.',
        offers: undefined,
      }
    case 'stopping':
      return { title: 'The runtime is stopping', text: SAFE, offers: undefined }
    case 'crashed':
      return {
        title: 'The runtime failed',
        text: state.restartsAt === null ? 'The notice above says why.' : `The notice above says why. ${SAFE}`,
        offers: undefined,
      }
    case 'foreign':
      return {
        title: 'The runtime cannot start',
        text: state.isReserved
          ? `The system does not let you use port ${state.port}. The notice above says what to do.`
          : `Another ${state.runtime === null ? 'program' : 'runtime'} uses port ${state.port}. The notice above says which, and what to do.`,
        offers: undefined,
      }
  }
}
