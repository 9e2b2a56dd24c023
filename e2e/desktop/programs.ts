// Programs that desktop tests deploy.

import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'

const artifact = (id: string, run: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: { code: `({ run: ${run} })` },
})

export const HELLO = artifact('hello', 'async (ctx, input) => ({ greeting: `Hello, ${input.name}!` })')

/** Waits for `approved` and answers what came with it. */
export const APPROVAL = artifact('approval', `async (ctx) => ctx.waitForEvent('approved')`)

export const FAILS = artifact('fails', `async () => { throw new Error('no money') }`)

/** Counts to `input.to`, a timer each: it is under way for long, and never for itself alone. */
export const TICKS = artifact(
  'ticks',
  'async (ctx, input) => { let n = 0; while (n < input.to) { await ctx.sleep(50); n++ } return n }',
)

/** Keeps a processor busy for about `input.ms`, in one turn after another. */
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

/** Never comes back, and never lets go. */
export const LOOPS = artifact('loops', 'async () => { for (;;); }')
