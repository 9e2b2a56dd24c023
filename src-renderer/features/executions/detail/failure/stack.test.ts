import { expect, it } from 'vitest'
import { errorChain, readStack, throwSiteIn } from './stack.ts'

it('reads frames with their positions, and marks those that are not the author’s', () => {
  const [thrown] = readStack(
    [
      'Error: the payment provider is busy',
      '    at chargeCard (programs/order-approval.effects.ts:9:28)',
      '    at async Promise.all (index 0)',
      '    at programs/order-approval.ts:4:3',
      '    at run (wes:runtime:12:3)',
      '    at node:internal/process/task_queues:95:5',
    ].join('\n'),
  )
  expect(thrown?.headline).toBe('Error: the payment provider is busy')
  expect(thrown?.lines.map((line) => (line.kind === 'frame' ? line.place : line.text))).toEqual([
    { path: 'programs/order-approval.effects.ts', line: 9, column: 28 },
    '    at async Promise.all (index 0)',
    { path: 'programs/order-approval.ts', line: 4, column: 3 },
    undefined,
    undefined,
  ])
})

it('finds the first frame with code of the author, below those of packages', () => {
  const packaged = '    at send (node_modules/mailer/index.js:934:19)'
  const siteOf = (...frames: readonly string[]) =>
    throwSiteIn(readStack(['Error: no mailbox', ...frames].join('\n'))[0]?.lines ?? [])
  expect(siteOf('    at node:net:1:1', packaged, '    at sendMail (programs/mail.effects.ts:9:28)')).toBe(2)
  expect(siteOf(packaged, '    at on (../../node_modules/mailer/index.js:180:44)')).toBe(-1)
})

it('separates the error and its causes', () => {
  const chain = readStack(
    'Error: outer\n    at a (x.ts:1:1)\ncaused by: TypeError: inner\nsecond line\n    at b (y.ts:2:2)\ncaused by: 7',
  )
  expect(chain.map(({ headline, lines }) => [headline, lines.length])).toEqual([
    ['Error: outer', 1],
    ['TypeError: inner\nsecond line', 1],
    ['7', 0],
  ])
})

it('takes all lines of a message for its headline', () => {
  const [thrown] = readStack(
    'Error: first\n\n  - second\nat third\n    at async Promise.all (index 0)\n    at a (x.ts:1:1)',
  )
  expect(thrown?.headline).toBe('Error: first\n\n  - second\nat third')
  expect(thrown?.lines).toHaveLength(2)
})

it('reads a stack without a headline', () => {
  expect(readStack('    at a (x.ts:1:1)\n')).toMatchObject([{ headline: '', lines: [{ kind: 'frame' }] }])
})

it('shows the causes of an error, unless its stack contains them', () => {
  const headlines = (error: Parameters<typeof errorChain>[0]) => errorChain(error).map(({ headline }) => headline)
  const cause = {
    name: 'TypeError',
    message: 'inner',
    stack: 'TypeError: inner\n    at b (y.ts:2:2)',
    cause: { message: '7' },
  }
  expect(headlines({ name: 'Error', message: 'outer', stack: 'Error: outer\n    at a (x.ts:1:1)', cause })).toEqual([
    'Error: outer',
    'TypeError: inner',
    '7',
  ])
  expect(headlines({ message: 'outer', stack: 'Error: outer\ncaused by: TypeError: inner', cause })).toHaveLength(2)
  expect(headlines({ name: 'Odd', message: 'no stack' })).toEqual(['Odd: no stack'])
})
