import { expect, it } from 'vitest'
import { mendLoops } from './mend-loops.ts'
import { createMended } from './mend-rig.test-support.ts'

const mended = createMended(mendLoops)

it.each([
  'for (let i = 0; i < 3; i++) { keep(() => i); if (i) continue; }',
  'for (let i = 0; i < 3; i++) { keep({ m() { return i } }); if (i) continue; }',
  'for (let i = 0; i < 3; i++) { keep({ get x() { return i } }); if (i) continue; }',
  'for (let i = 0; i < 3; i++) { keep(new (class { x = i })()); if (i) continue; }',
  'for (let i = 0; keep(() => i), i < 3; i++) { if (i) continue; }',
  'for (let i = 0, f = () => {\nreturn i\n}; i < 3; i++) { if (i) continue; f() }',
  'for (let o = {\ni: 0,\nm() { return this }\n}; o.i < 3; o.i++) { if (o.i) continue; keep(o) }',
  'for (let { i, f } = { i: 0, f() { return i } }; i < 3; i++) { keep(() => i); if (i) continue; f() }',
  'for (let i = 0; i < 3; i++) { const s = `\n}\n${i}`; keep({ m() { return i } }); if (i) continue; }',
  'for (let i = 0; i < 3; i++) if (i) continue; else keep(() => i)',
  'for (let i = 0; i < 3; i++) try { if (i) continue; } catch { keep(() => i) }',
  'a: for (let i = 0; i < 3; i++) do { for (const j of [i]) if (j) continue a } while (keep(() => i))',
  'a: for (let i = 0; i < 3; i++) for (const j of [i]) if (j) continue a; else keep(() => i)',
])('a round of %s ends by `break`', (loop) => {
  expect(mended(loop).after).toContain('break wesRound')
})

it.each([
  'for (let i = 0; i < 3; i++) { if (i) continue; keep(i) }',
  'for (let i = 0; i < 3; i++) { keep(() => i); for (const j of [i]) if (j) continue; }',
  'for (let i of [0]) { keep(() => i); if (i) continue; }',
])('%s stays as it is', (loop) => {
  const { before, after } = mended(loop)
  expect(after).toBe(before)
})

it('takes no name that the author has', () => {
  const { after } = mended(
    'keep(async () => { let wesThrown; for await (const { wesItem } of []) wesThrown = wesItem; return wesThrown })',
  )
  expect(after).toContain('{ let wesThrown_; try {')
  expect(after).toContain('const { wesItem } = wesItem_;')
})
