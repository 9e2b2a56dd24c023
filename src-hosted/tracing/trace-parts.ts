// The same parts, which also tell what they do as spans.

import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import type { Work } from '../dispatch/dispatcher.ts'
import type { HostedStore } from '../store/store.ts'
import type { FireDue } from '../store/tenancy.ts'
import type { Tracing } from './tracing.ts'

export const traceStore = (store: HostedStore, tracing: Tracing): HostedStore => ({
  ...store,
  acceptFor: (workspaceId, options) => {
    const accept = store.acceptFor(workspaceId, options)
    return {
      ...accept,
      start: (execution, ahead) => {
        const attributes = {
          'wes.workspace.id': workspaceId,
          'wes.project.id': execution.projectId,
          'wes.program.id': execution.programId,
          'wes.execution.id': execution.id,
          'wes.first_turn_ran': ahead !== undefined,
        }
        return tracing.during('start execution', { attributes }, async (span) => {
          const started = await accept.start(execution, ahead)
          span.set({ 'wes.outcome': started.kind })
          return started
        })
      },
    }
  },
  engine: {
    ...store.engine,
    commit: (seen, turns) => {
      const attributes = { 'wes.execution.status': turns.change.status }
      return tracing.during('commit', { attributes }, async (span) => {
        const committed = await store.engine.commit(seen, turns)
        span.set({ 'wes.outcome': committed.kind })
        return committed
      })
    },
    outcome: (effect, outcome) => {
      const attributes = { ...ofAttempt(effect), 'wes.effect.outcome': outcome.kind }
      return tracing.during('store effect outcome', { attributes }, async (span) => {
        const stored = await store.engine.outcome(effect, outcome)
        span.set({ 'wes.outcome': stored.kind })
        return stored
      })
    },
  },
})

const ofAttempt = (key: { readonly executionId: string; readonly attempt: number }) => ({
  'wes.execution.id': key.executionId,
  'wes.effect.attempt': key.attempt,
})

export const traceEffects = (
  effects: Pick<EffectPerformer, 'perform'>,
  tracing: Tracing,
): Pick<EffectPerformer, 'perform'> => ({
  perform: (call) => {
    const attributes = { ...ofAttempt(call), 'wes.program.id': call.programId, 'wes.effect.name': call.name }
    return tracing.during('effect attempt', { attributes }, async (span) => {
      const outcome = await effects.perform(call)
      span.set({ 'wes.outcome': outcome.kind })
      if (outcome.kind === 'failed') span.fail(outcome.error.code)
      return outcome
    })
  },
})

export const traceHosts = <Hosts extends Pick<ProgramHosts, 'activate'>>(hosts: Hosts, tracing: Tracing): Hosts => ({
  ...hosts,
  activate: (activation, onAlone) => {
    const { executionId, programId, versionNumber, turns } = activation
    const attributes = {
      'wes.program.id': programId,
      'wes.program.version': versionNumber,
      'wes.execution.id': executionId,
      'wes.turns': turns.filter(({ expected }) => expected === undefined).length,
      'wes.turns.replayed': turns.filter(({ expected }) => expected !== undefined).length,
    }
    return tracing.during('turns', { attributes }, async (span) => {
      const ran = await hosts.activate(activation, onAlone)
      span.set({ 'wes.outcome': ran.kind })
      return ran
    })
  },
})

export const traceWork = (work: Work, tracing: Tracing): Work => ({
  visit: (executionId, invocationId, why, traceparent, dropped) => {
    const attributes = { 'wes.execution.id': executionId, 'wes.visit.reason': why }
    const about = { kind: 'consumer', attributes, cause: { as: 'parent', traceparent } } as const
    return tracing.during('visit', about, () => work.visit(executionId, invocationId, why, traceparent, dropped))
  },
  perform: (attempt, invocationId, traceparent) =>
    tracing.continuing(traceparent, () => work.perform(attempt, invocationId, traceparent)),
})

export const traceFire =
  (fire: FireDue, tracing: Tracing): FireDue =>
  (due) => {
    const about = {
      kind: 'consumer',
      attributes: { 'wes.trigger.id': due.triggerId },
      cause: { as: 'parent', traceparent: undefined },
    } as const
    return tracing.during('fire schedule', about, () => fire(due))
  }
