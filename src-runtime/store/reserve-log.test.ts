import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { LOG_BYTES } from './database.ts'
import { reserveLog } from './reserve-log.ts'
import { openRig, temporaryDirectory } from './store-rig.test-support.ts'

const logBytes = (file: string): number => statSync(`${file}-wal`).size

describe('the reserved write-ahead log', () => {
  it('has its full length before and after commits', async () => {
    const rig = openRig()
    reserveLog(rig.file)
    expect(logBytes(rig.file)).toBe(LOG_BYTES)
    const head = await rig.start()
    expect(logBytes(rig.file)).toBe(LOG_BYTES)
    expect(rig.store.executions.head(head.key)).toEqual(head)
  })

  it('keeps earlier and later content after the process ends', async () => {
    const rig = openRig()
    const before = await rig.start()
    reserveLog(rig.file)
    const after = await rig.start()
    const copy = join(temporaryDirectory(), 'copy.sqlite') // as a killed process would leave it
    for (const part of ['', '-wal']) copyFileSync(rig.file + part, copy + part)
    const { executions } = openRig(copy).store
    expect(executions.head(before.key)).toEqual(before)
    expect(executions.head(after.key)).toEqual(after)
  })

  it('is removed when the database is closed', async () => {
    const rig = openRig()
    reserveLog(rig.file)
    await rig.store.close()
    expect(existsSync(`${rig.file}-wal`)).toBe(false)
  })

  it('is omitted if it cannot be created', () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push(line) })
    reserveLog(join(temporaryDirectory(), 'none.sqlite'), log)
    expect(lines.join('')).toContain('no room could be reserved')
  })
})
