import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './database.ts'
import { APPLICATION_ID, MIGRATIONS, type Migration } from './migrations.ts'
import { START, openRig, temporaryDirectory } from './store-rig.test-support.ts'
import { DiskFullError, StoreUnavailableError } from '../shared/store-errors.ts'

const newFile = () => join(temporaryDirectory(), 'wes.sqlite')

const open = (file: string, migrations: readonly Migration[]) => {
  const db = openDatabase({ file, now: () => START, migrations })
  onTestFinished(() => {
    db.close()
  })
  return db
}

const backups = (file: string) => readdirSync(dirname(file)).filter((name) => name.endsWith('.backup'))

const ONE: Migration = { version: 1, sql: 'CREATE TABLE notes (text TEXT)' }
const TWO: Migration = { version: 2, sql: 'ALTER TABLE notes ADD COLUMN at INTEGER' }
const THREE: Migration = { version: 3, sql: 'ALTER TABLE notes RENAME COLUMN at TO written_at' }

describe('migrations', () => {
  it('have consecutive numbers', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1))
  })

  it('create a new database at once, without a backup', () => {
    const file = newFile()
    const db = open(file, [ONE, TWO])
    expect(db.pragma('user_version', { simple: true })).toBe(2)
    expect(db.pragma('application_id', { simple: true })).toBe(APPLICATION_ID)
    expect(backups(file)).toEqual([])
  })

  it('run only the missing steps, after a backup', () => {
    const file = newFile()
    const first = open(file, [ONE])
    first.exec(`INSERT INTO notes VALUES ('kept')`)
    first.close()

    const told: unknown[] = []
    const onUpgrade = (backup: string) => void told.push([backup, readdirSync(dirname(file)).length])
    const before = ['wes.sqlite', 'wes.sqlite-shm', 'wes.sqlite-wal'].length
    const db = openDatabase({ file, now: () => START, migrations: [ONE, TWO, THREE], onUpgrade })
    onTestFinished(() => void db.close())
    expect(db.prepare('SELECT text, written_at FROM notes').all()).toEqual([{ text: 'kept', written_at: null }])
    expect(backups(file)).toEqual(['wes.sqlite.schema-1.20261120T000000000Z.backup'])
    const copy = join(dirname(file), backups(file)[0]!)
    expect(told).toEqual([[copy, before]])
    if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600)
    const backup = new Database(copy, { readonly: true })
    expect(backup.pragma('user_version', { simple: true })).toBe(1)
    expect(backup.prepare('SELECT * FROM notes').all()).toEqual([{ text: 'kept' }])
    backup.close()
  })

  it('back up again what a killed process had copied in part, under a name that is no backup', () => {
    const file = newFile()
    open(file, [ONE]).close()
    writeFileSync(`${file}.backup.part`, 'half of a cop')
    const broken: Migration = {
      version: 2,
      sql: '',
      then: () => {
        expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.part'))).toEqual([])
        throw new Error('seen')
      },
    }
    expect(() => openDatabase({ file, now: () => START, migrations: [ONE, broken] })).toThrow('seen')
    expect(backups(file)).toHaveLength(1)
  })

  it('keep the newest backup and that of the upgrade before, however often a step fails', () => {
    const file = newFile()
    const broken: Migration = {
      version: 4,
      sql: '',
      then: () => {
        throw new Error('broken')
      },
    }
    let now = START
    const openWith = (migrations: readonly Migration[]) =>
      openDatabase({ file, now: () => (now += 1_000), migrations }).close()
    openWith([ONE])
    openWith([ONE, TWO])
    openWith([ONE, TWO, THREE])
    for (let times = 0; times < 3; times++) expect(() => openWith([ONE, TWO, THREE, broken])).toThrow('broken')
    expect(backups(file)).toEqual([
      expect.stringContaining('.schema-2.') as string,
      'wes.sqlite.schema-3.20261120T000005000Z.backup',
    ])
  })

  it('do nothing, without a backup, if the schema is the newest', () => {
    const file = newFile()
    open(file, [ONE, TWO]).close()
    open(file, [ONE, TWO]).close()
    expect(backups(file)).toEqual([])
  })

  it('leave the database unchanged if a step fails', () => {
    const file = newFile()
    open(file, [ONE]).close()
    const broken: Migration = { version: 2, sql: 'CREATE TABLE more (x); INSERT INTO nowhere VALUES (1)' }
    expect(() => openDatabase({ file, now: () => START, migrations: [ONE, broken] })).toThrow('nowhere')
    const db = open(file, [ONE])
    expect(db.pragma('user_version', { simple: true })).toBe(1)
    expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name = 'more'`).all()).toEqual([])
  })

  it('fill no disk that has no room for the copy, and say how much it needs', () => {
    const file = newFile()
    open(file, [ONE]).close()
    const bytes = 3 * 2 ** 40
    const sizeInPages = Buffer.alloc(4)
    sizeInPages.writeUInt32BE(bytes / 1024)
    const written = openSync(file, 'r+')
    writeSync(written, sizeInPages, 0, 4, 28)
    ftruncateSync(written, bytes) // takes no room
    closeSync(written)
    const refusal =
      /copied before it is upgraded, which needs 3 TiB, and the disk that holds .* has room for .*\. Make room/
    expect(() => open(file, [ONE, TWO])).toThrow(refusal)
    expect(readdirSync(dirname(file))).toEqual(['wes.sqlite'])
  })

  it('refuse a damaged database, with what to do, because another try would copy as much of it again', () => {
    const file = newFile()
    const db = open(file, [ONE])
    for (let n = 0; n < 100; n += 1) db.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(900))
    db.close()
    const bytes = readFileSync(file)
    const page = Math.floor(bytes.length / 2048) * 1024
    bytes.fill(0xff, page, page + 1024)
    writeFileSync(file, bytes)
    const refusal = {
      name: 'DatabaseRefusedError',
      message: expect.stringMatching(/damaged, so it cannot be upgraded.* put a backup/),
    }
    expect(() => open(file, [ONE, TWO])).toThrow(expect.objectContaining(refusal))
    expect(readdirSync(dirname(file))).toEqual(['wes.sqlite'])
  })

  it('keep no copy where the disk is full, because the next try needs its room', () => {
    const file = newFile()
    open(file, [ONE]).close()
    const large: Migration = {
      version: 2,
      sql: 'CREATE TABLE more (x)',
      then: (db) => {
        db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true }) as number}`)
        db.exec('INSERT INTO more VALUES (zeroblob(100000))')
      },
    }
    expect(() => openDatabase({ file, now: () => START, migrations: [ONE, large] })).toThrow(DiskFullError)
    expect(readdirSync(dirname(file))).toEqual(['wes.sqlite'])
    expect(open(file, [ONE]).pragma('user_version', { simple: true })).toBe(1)
  })

  it('leave the database, and the backup for the version before, if a later step fails in each of several versions', () => {
    const file = newFile()
    open(file, [ONE]).close()
    const broken = (version: number): Migration => ({ version, sql: 'INSERT INTO nowhere VALUES (1)' })
    let now = START
    for (const migrations of [
      [ONE, TWO, broken(3)],
      [ONE, TWO, THREE, broken(4)],
      [ONE, TWO, THREE, { version: 4, sql: '' }, broken(5)],
    ]) {
      expect(() => openDatabase({ file, now: () => (now += 1_000), migrations })).toThrow('nowhere')
    }
    expect(backups(file)).toEqual([expect.stringContaining('.schema-1.')])
    expect(open(file, [ONE]).prepare('SELECT * FROM notes').all()).toEqual([])
  })

  it('refuse a newer schema with both numbers and advice, and change nothing', () => {
    const file = newFile()
    const refusal = (advice: RegExp) =>
      expect(() => openDatabase({ file, now: () => START, migrations: [ONE, TWO] })).toThrow(
        expect.objectContaining({ name: 'DatabaseRefusedError', message: expect.stringMatching(advice) }),
      )
    open(file, [ONE, TWO, THREE]).close()
    refusal(/schema 3.*up to 2.*newer version\. Start that version, or choose another data directory$/)
    rmSync(file)
    open(file, [ONE]).close()
    open(file, [ONE, TWO, THREE]).close()
    const before = readFileSync(file)
    refusal(
      /Start that version, or go back to its copy.* copy .*\.schema-1\..*\.backup to .*, or choose another data directory$/,
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('refuse a database of another program, and do not change it', () => {
    const file = newFile()
    const other = new Database(file)
    other.exec('CREATE TABLE theirs (x)')
    other.close()
    const before = readFileSync(file)
    expect(() => open(file, [ONE])).toThrow(
      expect.objectContaining({ name: 'DatabaseRefusedError', message: expect.stringContaining('another program') }),
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(dirname(file))).toEqual(['wes.sqlite'])
  })

  it('refuse a file that is not a database', () => {
    const file = newFile()
    writeFileSync(file, 'certainly not a database, but long enough to be read as the header of one'.repeat(40))
    expect(() => open(file, [ONE])).toThrow(
      expect.objectContaining({ name: 'DatabaseRefusedError', message: expect.stringContaining('damaged') }),
    )
  })

  it.each(['missing', 'empty'])('refuse a log whose database is %s, and keep it', (state) => {
    const file = newFile()
    const before = openDatabase({ file, now: () => START })
    const log = readFileSync(`${file}-wal`)
    before.close()
    rmSync(file)
    if (state === 'empty') writeFileSync(file, '')
    writeFileSync(`${file}-wal`, log)
    expect(() => open(file, [ONE])).toThrow(`${file} is missing or empty, but its log ${file}-wal is not`)
    expect(readFileSync(`${file}-wal`)).toEqual(log)
  })

  it('report that a directory cannot be opened as a database', () => {
    expect(() => open(temporaryDirectory(), [ONE])).toThrow(StoreUnavailableError)
  })
})

it('a database of schema 4 gets the positions of waits and the sizes of events', async () => {
  const file = newFile()
  const db = open(file, MIGRATIONS.slice(0, 4))
  db.exec(`
    INSERT INTO projects VALUES (1, 'default', 'Default', 1, 0);
    INSERT INTO programs VALUES (1, 1, 'p', NULL, 0, 0);
    INSERT INTO versions VALUES (1, 1, 1, 1, 'ver_1', 'd', 'upload', 0, 1, 0, NULL, NULL, '{}');
    INSERT INTO executions (key, id, version, status, created_at, cancel_delivered, last_position, turns, last_command, buffered)
      VALUES (1, 'exe_1', 1, 2, 0, 0, 4, 1, 1, 2);
    INSERT INTO journal VALUES (1, 1, 0, 0, NULL, NULL, NULL, NULL, '{}'), (1, 2, 0, 9, NULL, 'b', NULL, NULL, '{"id":"ü"}'),
      (1, 3, 0, 7, 1, 'a', NULL, NULL, '{}'), (1, 4, 0, 9, NULL, 'b', NULL, NULL, '{"id":"y"}');
    INSERT INTO pending VALUES (1, 1, 0, 'a', 0, NULL, NULL, NULL, NULL);
    INSERT INTO inbox VALUES (1, 2, 'x', 'b', 0), (1, 4, 'y', 'b', 0)`)
  db.close()
  const { store } = openRig(file)
  expect(store.executions.load(1)).toMatchObject({
    head: { buffered: 2, bufferedBytes: 21 },
    open: [{ command: 1, position: 3 }],
    buffered: [{ bytes: 11 }, { bytes: 10 }],
  })
})

describe('an open database', () => {
  it('flushes every commit to disk', () => {
    const { db } = openRig()
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    const FULL = 2
    expect(db.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(db.pragma('fullfsync', { simple: true })).toBe(1)
    expect(db.pragma('checkpoint_fullfsync', { simple: true })).toBe(1)
  })

  it('is one complete file after it was closed', async () => {
    const rig = openRig()
    const { id } = await rig.start()
    expect(rig.store.sizeBytes()).toBeGreaterThan(0)
    await rig.store.close()
    expect(readdirSync(dirname(rig.file))).toEqual(['wes.sqlite'])
    const copy = newFile()
    copyFileSync(rig.file, copy)
    expect(openRig(copy).store.executions.keyOf(id)).toBe(1)
  })

  it('throws an error of the store where it is damaged, and works elsewhere', async () => {
    const rig = openRig()
    const heads = []
    for (let n = 0; n < 400; n += 1) heads.push(await rig.start())
    const [first, last] = [heads[0]!.key, heads.at(-1)!.key]
    const leaf = rig.db
      .prepare<[], number>(`SELECT max(pageno) FROM dbstat WHERE name = 'journal' AND pagetype = 'leaf'`)
      .pluck()
      .get()
    const pageSize = rig.db.pragma('page_size', { simple: true }) as number
    await rig.store.close()
    const bytes = readFileSync(rig.file)
    bytes.fill(0xff, (leaf! - 1) * pageSize, leaf! * pageSize)
    writeFileSync(rig.file, bytes)

    const { store } = openRig(rig.file)
    expect(() => store.journal.entry(last, 1)).toThrow(StoreUnavailableError)
    expect(store.journal.entry(first, 1)).toMatchObject({ type: 'execution_started' })
    const append = (key: number) => store.executions.change(key, () => ({ entries: [{ at: START, type: 'log' }] }))
    await expect(append(last)).rejects.toThrow(/damaged/)
    expect(store.executions.head(last)?.lastPosition).toBe(1)
    expect(await append(first)).toMatchObject({ head: { lastPosition: 2 } })
  })
})
