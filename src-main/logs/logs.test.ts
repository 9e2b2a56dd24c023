import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { createLogTail } from './log-tail.ts'
import { openLog } from './open-log.ts'
import { redact } from './redact.ts'
import { openRotatingFile } from './rotating-file.ts'

const folder = (): string => temporaryFolder('logs')

describe('a log file', () => {
  it('is renamed when it is full, and a limited number is kept', () => {
    const path = join(folder(), 'logs', 'wes.log')
    const file = openRotatingFile(path, { maxBytes: 10, maxFiles: 3 })
    for (const line of ['aaaaaaaa\n', 'bbbbbbbb\n', 'cccccccc\n', 'dddddddd\n', 'e\n']) file.write(line)
    file.close()
    expect(readdirSync(join(path, '..')).toSorted()).toEqual(['wes.1.log', 'wes.2.log', 'wes.log'])
    expect(readFileSync(path, 'utf8')).toBe('e\n')
    expect(readFileSync(join(path, '../wes.1.log'), 'utf8')).toBe('dddddddd\n')
    expect(readFileSync(join(path, '../wes.2.log'), 'utf8')).toBe('cccccccc\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('continues after a restart, and accepts a line that is larger than the limit', () => {
    const path = join(folder(), 'wes.log')
    for (const line of ['a\n', 'b\n']) {
      const file = openRotatingFile(path, { maxBytes: 10, maxFiles: 3 })
      file.write(line)
      file.close()
    }
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    const file = openRotatingFile(path, { maxBytes: 10, maxFiles: 3 })
    file.write(`${'x'.repeat(100)}\n`)
    file.close()
    expect(statSync(path).size).toBe(101)
  })

  it('continues in the full file if that cannot be renamed, and tries again later', () => {
    const path = join(folder(), 'wes.log')
    const old = join(path, '../wes.1.log')
    mkdirSync(join(old, 'in the way'), { recursive: true })
    const file = openRotatingFile(path, { maxBytes: 10, maxFiles: 2 })
    for (const line of ['aaaaaaaa\n', 'bbbbbbbb\n']) file.write(line)
    expect(readFileSync(path, 'utf8')).toBe('aaaaaaaa\nbbbbbbbb\n')
    rmSync(old, { recursive: true })
    file.write('cccccccc\n')
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('cccccccc\n')
    expect(readFileSync(old, 'utf8')).toBe('aaaaaaaa\nbbbbbbbb\n')
  })

  it('does not stop the app if it cannot be written', () => {
    const file = openRotatingFile('/dev/null/none/wes.log', { maxBytes: 10, maxFiles: 3 })
    expect(() => file.write('a')).not.toThrow()
  })
})

describe('secrets', () => {
  it.each([
    ['wes_0123456789abcdefghijKLMNOP', 'a token'],
    ['{"stack":"Error\\nwes_0123456789abcdefghijKLMNOP"}', 'a token at the beginning of a line in JSON'],
    ['/x?q=%20wes_0123456789abcdefghijKLMNOP', 'a token in an encoded address'],
    ['token%3Dwes_0123456789abcdefghijKLMNOP', 'a token in an encoded query'],
    ["curl -H 'authorization: Bearer wes_0123456789abcdefghijKLMNOP'", 'a token in a command'],
    ['{"authorization":["Bearer wes_0123456789abcdefghijKLMNOP"]}', 'a token in a list of headers'],
    ['["authorization","Bearer wes_0123456789abcdefghijKLMNOP"]', 'a token in raw headers'],
    ['SERVICE_TOKEN=wes_0123456789abcdefghijKLMNOP', 'a token in an environment'],
    ['token wes_dev_0123456789abcdef-_ghijklmnopqrstuvwxyzABCDE', 'the token of a local runtime'],
    ['Authorization: Bearer abcdef123456', 'a header'],
    ['{"x-wes-session":"hunter2x"}', 'the key of a page'],
    ['http://localhost:3477/#code=hunter2x', 'the code of a link'],
    ['{"token":"hunter2x"}', 'a member'],
    ['{"a":"{\\"apiKey\\":\\"hunter2x\\"}"}', 'a member of JSON within JSON'],
    ['SERVICE_TOKEN=hunter2x', 'an assignment'],
    ['https://ada:hunter2x@host/', 'an address'],
    ['/healthz?challenge=hunter2x&a=1', 'a query'],
  ])('are removed: %s (%s)', (text) => {
    const cleaned = redact(text)
    expect(cleaned).toContain('[removed]')
    expect(cleaned).not.toMatch(/hunter2x|abcdef123456|0123456789abcdef|ABCDE/)
  })

  it('are removed without changes around them, and JSON stays JSON', () => {
    const cleaned = redact('{"a":1,"secret":"x\\"y","wes_version":"0.1","b":"tokens are fine"}')
    expect(JSON.parse(cleaned)).toEqual({ a: 1, secret: '[removed]', wes_version: '0.1', b: 'tokens are fine' })
  })
})

describe('the log', () => {
  it('is JSON lines without secrets, with a readable end', () => {
    const path = folder()
    const { log, tail, close } = openLog(path)
    log.info({ token: 'hunter2x', port: 3477 }, 'started')
    log.error(new Error('no room'), 'it failed')
    close()
    const lines = readFileSync(join(path, 'wes.log'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['started', 'it failed'])
    expect(lines.join()).not.toContain('hunter2x')
    expect(tail.lines(10)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\dZ info started \{"token":"\[removed\]","port":3477\}$/),
      expect.stringMatching(/error it failed: no room/),
    ])
  })

  it('keeps the last lines only', () => {
    const tail = createLogTail(2)
    for (const line of ['a', 'b', 'c']) tail.add(line)
    expect(tail.lines(5)).toEqual(['b', 'c'])
    expect(tail.lines(1)).toEqual(['c'])
  })
})
