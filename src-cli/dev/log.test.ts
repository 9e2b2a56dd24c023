import { describe, expect, it } from 'vitest'
import { createLog, readable } from './log.ts'

const written = (isTTY: boolean) => {
  const lines: string[] = []
  return { lines, stream: { isTTY, write: (text: string) => lines.push(text) } }
}

describe('the log', () => {
  it('is JSON lines outside a terminal, from its level on, with words and times that people read', () => {
    const { lines, stream } = written(false)
    const log = createLog('warn', stream)
    log.info('not this')
    log.warn({ port: 3477 }, 'this')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      msg: 'this',
      port: 3477,
    })
  })

  it('is readable in a terminal, without control characters', () => {
    const { lines, stream } = written(true)
    const log = createLog('info', stream)
    log.error({ err: new Error('broken'), id: 'exe_1' }, 'it \u001b[2J failed')
    expect(lines.join('')).toMatch(/^\d\d:\d\d:\d\d error it \\x1b\[2J failed {"id":"exe_1"}\nError: broken\n {4}at /)
    expect(readable('{"level":"warn","msg":"x","err":{"message":"why"}}')).toBe(' warn  x: why\n')
  })
})
