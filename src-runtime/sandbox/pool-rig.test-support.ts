// Program hosts in real child processes, and Executions that a test drives.

import { pino } from 'pino'
import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'
import { createProgramHosts, type ProgramHostsOptions, type WarmableProgramHosts } from './create-program-hosts.ts'
import { DEFAULT_POOL_LIMITS, type PoolLimits } from './pool-limits.ts'
import type { ActivationResult } from './program-hosts.ts'
import type { ToHost } from './protocol.ts'
import { commandsOf, START_AT, type DeliveryInput } from './runner-rig.test-support.ts'
import { spawnHost, type HostProcess, type SpawnHost } from './spawn-host.ts'

/** A tenth of the production limits. */
export const QUICK_LIMITS: PoolLimits = {
  ...DEFAULT_POOL_LIMITS,
  budgets: { ...DEFAULT_POOL_LIMITS.budgets, turnFuel: 6000, turnCpuMs: 700, loadFuel: 3000, loadCpuMs: 300 },
  aloneSilenceCpuMs: 800,
  checkSilenceCpuMs: 400,
}

export type PoolRig = {
  readonly hosts: WarmableProgramHosts
  /** All hosts that were started, including dead ones. */
  readonly processes: readonly { readonly role: string; readonly host: HostProcess }[]
  readonly loads: readonly string[]
  /** Where each Execution was sent, in order. */
  rolesOf(execution: PooledExecution): readonly string[]
  /** The same as places in `processes`. */
  hostsOf(execution: PooledExecution): readonly number[]
  /** `programId`: by default each code is of another Program. */
  execution(code: string, programId?: string): PooledExecution
}

/** Drives one Execution as the engine does, and replays it when its image is gone. */
export class PooledExecution {
  readonly id: string
  readonly turns: { readonly delivery: Delivery; readonly output: TurnOutput }[] = []
  replays = 0
  readonly #hosts: WarmableProgramHosts
  readonly #versionId: string
  readonly #programId: string
  #at = START_AT

  constructor(hosts: WarmableProgramHosts, versionId: string, id: string, programId = `program of ${versionId}`) {
    this.#hosts = hosts
    this.#versionId = versionId
    this.#programId = programId
    this.id = id
  }

  activate(
    turnsDone: number,
    turns: readonly { readonly delivery: Delivery; readonly expected?: readonly Command[] }[],
  ): Promise<ActivationResult> {
    const { id: executionId } = this
    return this.#hosts.activate({
      executionId,
      programId: this.#programId,
      versionNumber: 1,
      versionId: this.#versionId,
      turnsDone,
      turns,
    })
  }

  history() {
    return this.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
  }

  async deliver(input: DeliveryInput): Promise<TurnOutput> {
    const delivery = { ...input, at: (this.#at += 1000) } as Delivery
    let result = await this.activate(this.turns.length, [{ delivery }])
    for (let tries = 0; result.kind === 'image_missing' && tries < 5; tries++) {
      this.replays++
      result = await this.activate(0, [...this.history(), { delivery }])
    }
    const [output] = result.kind === 'ran' ? result.turns : []
    if (output === undefined) throw new Error(`Not run: ${JSON.stringify(result)}`)
    this.turns.push({ delivery, output })
    return output
  }

  start(input?: unknown): Promise<TurnOutput> {
    return this.deliver({ kind: 'start', data: JSON.stringify({ input }) })
  }

  event(command: number, payload?: unknown): Promise<TurnOutput> {
    const data = JSON.stringify({ id: 'evt_1', payload })
    return this.deliver({ kind: 'event', command, name: 'w', source: 1, eventId: 'evt_1', data })
  }

  timer(command: number): Promise<TurnOutput> {
    return this.deliver({ kind: 'timer', command })
  }

  effectResult(command: number, result?: unknown): Promise<TurnOutput> {
    return this.deliver({ kind: 'effect_result', command, name: 'e', attempt: 1, data: JSON.stringify({ result }) })
  }

  effectFailure(command: number): Promise<TurnOutput> {
    const data = '{"error":{"code":"effect_error","message":"no"}}'
    return this.deliver({ kind: 'effect_failure', command, name: 'e', attempt: 1, data })
  }
}

export const createPoolRig = (options: Partial<ProgramHostsOptions> = {}): PoolRig => {
  const sources = new Map<string, string>()
  const versions = new Map<string, string>()
  const processes: { role: string; host: HostProcess }[] = []
  const loads: string[] = []
  const sent: { role: string; executionId: string; at: number }[] = []
  const spawn: SpawnHost = (role, budgets) => {
    const host = (options.spawnHost ?? spawnHost)(role, budgets)
    const at = processes.push({ role, host }) - 1
    const note = (message: ToHost): void => {
      if (message.kind === 'run') for (const [, executionId] of message.batch) sent.push({ role, executionId, at })
    }
    return {
      ...host,
      send: (message) => {
        note(message)
        host.send(message)
      },
      sendLarge: (message) => {
        note(message)
        host.sendLarge(message)
      },
    }
  }
  const hosts = createProgramHosts({
    log: pino({ level: 'silent' }),
    limits: QUICK_LIMITS,
    loadProgram: (versionId) => {
      loads.push(versionId)
      return { code: sources.get(versionId) ?? '' }
    },
    ...options,
    spawnHost: spawn,
  })
  let executions = 0
  return {
    hosts,
    processes,
    loads,
    rolesOf: ({ id }) => sent.filter(({ executionId }) => executionId === id).map(({ role }) => role),
    hostsOf: ({ id }) => sent.filter(({ executionId }) => executionId === id).map(({ at }) => at),
    execution: (code, programId) => {
      const versionId = versions.get(code) ?? `ver_${versions.size + 1}`
      versions.set(code, versionId)
      sources.set(versionId, code)
      return new PooledExecution(hosts, versionId, `exe_${++executions}`, programId)
    },
  }
}
