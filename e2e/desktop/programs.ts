// Programs for the desktop tests.

import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'

const artifact = (id: string, run: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: { code: `({ run: ${run} })` },
})

export const HELLO = artifact('hello', 'async (ctx, input) => ({ greeting: `Hello, ${input.name}!` })')

/** Waits for `approved` and returns its payload. */
export const APPROVAL = artifact('approval', `async (ctx) => ctx.waitForEvent('approved')`)

export const FAILS = artifact('fails', `async () => { throw new Error('no money') }`)

/** Counts to `input.to` with a timer each, which takes long without using much CPU. */
export const TICKS = artifact(
  'ticks',
  'async (ctx, input) => { let n = 0; while (n < input.to) { await ctx.sleep(50); n++ } return n }',
)

/** Keeps a CPU busy for about `input.ms`, in many turns. */
export const BURNS = artifact(
  'burns',
  `async (ctx, input) => {
    let n = 0
    for (let turn = 0; turn < input.turns; turn++) {
      for (let i = 0; i < 3_000_000; i++) n = (n * 31 + i) % 1_000_003
      await ctx.sleep(1)
    }
    return n
  }`,
)

/** Loops for ever. */
export const LOOPS = artifact('loops', 'async () => { for (;;); }')
