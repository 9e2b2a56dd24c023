import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { recordDiskCalls } from '../../src-runtime/shared/disk-calls.test-support.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts'
import { freePorts } from './free-ports.ts'
import { isRunning } from './is-running.test-support.ts'
import { copyDatabaseTo } from './copy-database.test-support.ts'

const emptyFolder = (): string => temporaryFolder('postgres')

/** With a database. */
const newFolder = async (): Promise<string> => {
  const folder = temporaryFolder('postgres')
  await copyDatabaseTo(folder)
  return folder
}

const start = async (folder: string, wantedPort = 0): Promise<EmbeddedPostgres> => {
  const [port = 0] = await freePorts([wantedPort])
  const postgres = await startEmbeddedPostgres({ folder, port })
  onTestFinished(postgres.stop)
  return postgres
}

const ask = async ({ ownerUrl }: EmbeddedPostgres, question: string): Promise<unknown> => {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    return (await client.query<{ answer: unknown }>(question)).rows[0]?.answer
  } finally {
    await client.end()
  }
}

it('keeps what was written when it stops and starts again, and when it is killed', async () => {
  const folder = emptyFolder()
  const calls = recordDiskCalls()
  const first = await start(folder)
  // After a loss of power, too: its password, and the name of a folder that is otherwise removed at the next start.
  const flushed = `flush ${basename(folder)}`
  expect(calls.slice(0, 5)).toEqual(['remove data-being-made', 'flush password', flushed, 'name data', flushed])
  await ask(first, `create table t as select 'kept' as answer`)
  await first.stop()
  expect(isRunning(first.pid)).toBe(false)
  const second = await start(folder)
  expect(await ask(second, 'select answer from t')).toBe('kept')
  process.kill(second.pid, 'SIGKILL')
  await second.ended
  const third = await start(folder)
  expect(await ask(third, 'select answer from t')).toBe('kept')
})

it('has no time limit for its start, because a recovery that is cut short begins anew', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
  onTestFinished(() => void vi.restoreAllMocks())
  const postgres = await start(await newFolder())
  expect(await ask(postgres, 'select 1 as answer')).toBe(1)
})

it('lets nobody in without its password, which only its user can read', async () => {
  const folder = emptyFolder()
  const postgres = await start(folder)
  const stranger = new Client({ host: '127.0.0.1', port: postgres.port, user: 'postgres', password: 'a guess' })
  await expect(stranger.connect()).rejects.toThrow('password authentication failed')
  expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600)
})

/** Makes the locks of one that crashed, whose number is now that of another process. */
const lockAs = async (first: EmbeddedPostgres, folder: string, pid: number): Promise<void> => {
  const files = [join(folder, 'data', 'postmaster.pid'), join(folder, `.s.PGSQL.${first.port}.lock`)]
  const locks = files.map((file) => readFileSync(file, 'utf8'))
  await first.stop()
  for (const [index, file] of files.entries()) writeFileSync(file, locks[index]!.replace(/^\d+/, String(pid)))
}

it('starts after a crash although another process has the number of the one that crashed', async () => {
  const folder = await newFolder()
  const first = await start(folder)
  await lockAs(first, folder, process.pid)
  expect(await ask(await start(folder, first.port), 'select 1 as answer')).toBe(1)
})

it.runIf(process.platform === 'linux')(
  'starts after a crash although nobody has waited for the one that crashed',
  async () => {
    const folder = await newFolder()
    const first = await start(folder)
    // Its parent becomes a program that never waits for its children.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'])
    try {
      const zombie = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))))
      await vi.waitUntil(() => readFileSync(`/proc/${zombie}/status`, 'utf8').includes('zombie'))
      await lockAs(first, folder, zombie)
      expect(await ask(await start(folder, first.port), 'select 1 as answer')).toBe(1)
    } finally {
      parent.kill('SIGKILL')
    }
  },
)

it.runIf(process.platform === 'linux')(
  'waits for the sessions of one that was killed, although nobody has waited for that one',
  async () => {
    const folder = await newFolder()
    const first = await start(folder)
    await ask(first, 'create table t (n int)')
    const client = new Client({ connectionString: first.ownerUrl, statement_timeout: 2_000 })
    client.on('error', () => {})
    await client.connect()
    const busy = client.query('do $$ begin loop perform 1; end loop; end $$').catch(() => {})
    const count = `select count(*)::int as answer from pg_stat_activity where query like 'do %' and state = 'active'`
    await vi.waitUntil(async () => (await ask(first, count)) === 1)
    await ask(first, 'insert into t values (1)')
    const session = Number(
      readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .findLast((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('DO')),
    )
    // The shell that started it is stopped, so it does not wait for it.
    const shell = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${first.pid}/status`, 'utf8'))?.[1])
    process.kill(shell, 'SIGSTOP')
    try {
      process.kill(first.pid, 'SIGKILL')
      await vi.waitUntil(() => !isRunning(first.pid))
      expect(isRunning(session)).toBe(true)
      const second = await start(folder, first.port)
      expect(isRunning(session)).toBe(false)
      expect(await ask(second, 'select n as answer from t')).toBe(1)
    } finally {
      process.kill(shell, 'SIGCONT')
    }
    await Promise.all([busy, first.ended])
  },
)

it('starts at once after it was killed, again and again, although its sessions are still busy', async () => {
  const folder = await newFolder()
  let postgres = await start(folder)
  await ask(postgres, 'create table t (round int)')
  for (let round = 1; round <= 2; round += 1) {
    const busy = Array.from({ length: 4 }, async () => {
      const client = new Client({ connectionString: postgres.ownerUrl, statement_timeout: 4_000 })
      client.on('error', () => {})
      await client.connect()
      return client.query('do $$ begin loop perform 1; end loop; end $$').catch(() => {})
    })
    const count = `select count(*)::int as answer from pg_stat_activity where query like 'do %' and state = 'active'`
    await vi.waitUntil(async () => (await ask(postgres, count)) === busy.length)
    await ask(postgres, `insert into t values (${round})`)
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.ended
    postgres = await start(folder, postgres.port)
    expect(await ask(postgres, 'select max(round) as answer from t')).toBe(round)
    await Promise.all(busy)
  }
})

it.skipIf(process.platform !== 'linux')('keeps no files outside its folder', async () => {
  const folder = await newFolder()
  const { pid } = await start(folder)
  const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8')
  expect(mapped).toContain(`${folder}/data/`)
  expect(mapped).not.toContain('/dev/shm/')
})

it('ends one that is left over in its folder, and that nobody else ends', async () => {
  const folder = await newFolder()
  const left = await start(folder)
  await ask(left, 'create table t as select 1 as n')
  const postgres = await start(folder, left.port)
  expect(isRunning(left.pid)).toBe(false)
  expect(await ask(postgres, 'select n as answer from t')).toBe(1)
})

it('rejects when its port is taken, and leaves nothing running', async () => {
  const { port } = await start(await newFolder())
  const folder = await newFolder()
  await expect(startEmbeddedPostgres({ folder, port })).rejects.toThrow(`${folder}/postgres.log may say why`)
})

/** Its first number is that of the segment: PostgreSQL notes it in its folder. `undefined`: it is gone. */
const sharedMemoryOf = (folder: string): (() => string | undefined) => {
  const [, id] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8')
    .split('\n')[6]!
    .trim()
    .split(/\s+/)
  return () =>
    execFileSync('ipcs', ['-m'], { encoding: 'utf8' })
      .split('\n')
      .find((line) => line.split(/\s+/)[1] === id)
}

/** Starts one in a process of its own, and answers both once PostgreSQL runs. */
const startElsewhere = async (folder: string) => {
  const script = join(folder, 'parent.ts')
  const [port] = await freePorts([0])
  writeFileSync(
    script,
    `import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))}
const { pid } = await startEmbeddedPostgres(${JSON.stringify({ folder, port })})
console.log(pid)\n`,
  )
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))))
  return { parent, pid }
}

it('ends with the process that started it, even when that is killed', async () => {
  const folder = await newFolder()
  const { parent, pid } = await startElsewhere(folder)
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await vi.waitUntil(() => !isRunning(pid))
  expect(await ask(await start(folder), 'select 1 as answer')).toBe(1)
})

describe.runIf(process.platform === 'linux')('shared memory', () => {
  it('is gone when the process that started it was killed', async () => {
    const folder = await newFolder()
    const { parent, pid } = await startElsewhere(folder)
    const find = sharedMemoryOf(folder)
    expect(find()).toBeDefined()
    parent.kill('SIGKILL')
    await vi.waitUntil(() => !isRunning(pid))
    expect(find()).toBeUndefined()
  })

  it('is replaced at the next start when PostgreSQL itself was killed, and gone when that stops', async () => {
    const folder = await newFolder()
    const first = await start(folder)
    const before = sharedMemoryOf(folder)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    expect(before()).toBeDefined()
    const second = await start(folder)
    const after = sharedMemoryOf(folder)
    expect([before(), after() !== undefined]).toEqual([undefined, true])
    await second.stop()
    expect(after()).toBeUndefined()
  })
})

it('ends when that is killed, also when it cannot end by itself once the process that started it was killed', async () => {
  const folder = await newFolder()
  const { parent, pid } = await startElsewhere(folder)
  process.kill(pid, 'SIGSTOP')
  parent.kill('SIGKILL')
  await vi.waitUntil(() => !isRunning(pid))
  expect(await ask(await start(folder), 'select 1 as answer')).toBe(1)
})
