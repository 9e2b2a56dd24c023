// The Programs of the campaign. All effects write to the ledger, and their results name the receipt.

import { mkdirSync } from 'node:fs'
import { createProject } from '#runtime/source/project.test-support.ts'
import type { ProgramArtifact } from '#sdk/index.ts'
import { compileArtifacts } from '../compile-artifacts.ts'

/** How many events `mixed` and `tally` take before they end. */
export const TICKS = 3

const EFFECTS = `import { defineEffect } from 'workflow-execution-service'
export const charge = defineEffect(
  { timeout: '60s', retry: { maxAttempts: 1000, initialInterval: 5, backoffCoefficient: 1.5, maxInterval: 500 } },
  async (input: { failures?: number; ms?: number; crash?: 'exit' | 'memory' }, { attempt, idempotencyKey, log }) => {
    if (input.ms !== undefined) await new Promise((resolve) => setTimeout(resolve, input.ms))
    const answer = await fetch(process.env.LEDGER_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-ledger-key': process.env.LEDGER_KEY },
      body: JSON.stringify({ key: idempotencyKey, attempt }),
    })
    if (!answer.ok) throw new Error('the ledger answered ' + answer.status)
    const { receipt } = await answer.json()
    if (attempt === 1 && input.crash === 'exit') process.exit(1)
    if (attempt === 1 && input.crash === 'memory') for (const all = []; ; ) all.push(new Array(1_000_000).fill(receipt))
    if (attempt <= (input.failures ?? 0)) throw new Error('not yet')
    if (receipt % 50 === 0) log.info('receipt ' + receipt)
    return { key: idempotencyKey, receipt }
  },
)`

const PROGRAMS = {
  mixed: `async (ctx, input: { n: number }) => {
    const charges = []
    let sum = 0
    for (let round = 0; round < ${TICKS}; round++) {
      charges.push(await charge({ failures: (input.n + round) % 3 }))
      sum += await ctx.waitForEvent<number>('tick')
      await ctx.sleep(1 + (input.n % 40))
    }
    return { n: input.n, sum, charges }
  }`,
  tally: `async (ctx, input: { n: number }) => {
    let sum = 0
    for (let round = 0; round < ${TICKS}; round++) {
      sum += await ctx.waitForEvent<number>('tick')
      if (round === 1) await ctx.sleep(5)
    }
    return { n: input.n, sum }
  }`,
  // It gets no events, and is not read after its start.
  untouched: `async (ctx, input: { n: number }) => {
    const charges = [await charge({ failures: input.n % 2 })]
    await ctx.sleep(200 + (input.n % 800))
    charges.push(await charge({ ms: 150 }))
    await ctx.sleep(input.n % 2000)
    const both = await Promise.all([charge({}), charge({ failures: 1 })])
    return { n: input.n, charges: [...charges, ...both] }
  }`,
  slow: `async (ctx, input: { n: number }) => ({ n: input.n, charges: [await charge({ ms: 1000 + (input.n % 4000) })] })`,
  // The first attempt of its effect ends its process.
  crashing: `async (ctx, input: { n: number }) => ({ n: input.n, charges: [await charge({ crash: input.n % 2 ? 'exit' : 'memory' })] })`,
  // It computes for ever.
  looping: `async () => {
    for (;;);
  }`,
  // It uses up its memory.
  hostile: `async () => {
    for (const all: unknown[] = []; ; ) all.push(new Array(1_000_000).fill(1))
  }`,
  triggered: `async (ctx, input: { n: number }) => ({ n: input.n, charges: [await charge({})] })`,
} as const

export type ProgramId = keyof typeof PROGRAMS

/** Error codes of Programs that compute until a limit ends them. */
export const HOSTILE: ReadonlyMap<string, string> = new Map<ProgramId, string>([
  ['hostile', 'program_out_of_memory'],
  ['looping', 'program_timeout'],
])

/** The charges of a Program that completes, by the numbers of their commands. */
export const CHARGES: Readonly<Record<ProgramId, readonly number[]>> = {
  mixed: Array.from({ length: TICKS }, (_, round) => round * 3 + 1),
  tally: [],
  untouched: [1, 3, 5, 6],
  slow: [1],
  crashing: [1],
  looping: [],
  hostile: [],
  triggered: [1],
}

export const makeArtifacts = async (folder: string): Promise<readonly ProgramArtifact[]> => {
  mkdirSync(folder)
  const project = createProject({ 'programs/charge.effects.ts': EFFECTS }, { packages: true, at: folder })
  for (const [id, run] of Object.entries(PROGRAMS)) {
    const imports = run.includes('charge(') ? "import { charge } from './charge.effects.ts'\n" : ''
    const text = `import { defineProgram } from 'workflow-execution-service'\n${imports}export default defineProgram({ id: '${id}' }, ${run})\n`
    project.write(`programs/${id}.ts`, text)
  }
  return compileArtifacts(folder)
}
