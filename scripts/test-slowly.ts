// `npm run test:slow`: runs the tests at a quarter of the machine's speed, because they must pass on slow machines. Uses a
// CPU quota, or one core that three busy processes share.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const SHARE = 4
const QUOTA_PERIOD_US = 100_000
const QUOTA_US = (availableParallelism() * QUOTA_PERIOD_US) / SHARE
/** The files that set a group's quota, in both versions of cgroups. */
const QUOTAS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', quota: String(QUOTA_US) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', quota: `${QUOTA_US} ${QUOTA_PERIOD_US}` },
]
/** A busy loop that ends with this process. */
const BURN = 'const parent = process.ppid; while (process.ppid === parent);'

type Slowdown = {
  readonly description: string
  /** Precedes the command. */
  readonly prefix: readonly string[]
  end(): void
}

/** Runs the command in a cgroup with a quarter of all cores' time. */
const byQuota = (): Slowdown | undefined => {
  for (const { root, file, quota } of QUOTAS) {
    const group = join(root, `wes-test-slow-${process.pid}`)
    try {
      mkdirSync(group)
      writeFileSync(join(group, file), quota)
    } catch {
      removeGroup(group)
      continue
    }
    return {
      description: `a CPU quota of 1/${SHARE} of the machine`,
      prefix: ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh'],
      end: () => removeGroup(group),
    }
  }
  return undefined
}

const removeGroup = (group: string): void => {
  try {
    rmdirSync(group)
  } catch {
    // The group was not created, or its processes have not ended yet.
  }
}

const byBurners = (): Slowdown | undefined => {
  if (spawnSync('taskset', ['-c', '0', 'true']).status !== 0) return undefined
  const burners: readonly ChildProcess[] = Array.from({ length: SHARE - 1 }, () =>
    spawn('taskset', ['-c', '0', process.execPath, '-e', BURN], { stdio: 'ignore' }),
  )
  return {
    description: `one core that ${SHARE - 1} busy processes share`,
    prefix: ['taskset', '-c', '0'],
    end: () => {
      for (const burner of burners) burner.kill('SIGKILL')
    },
  }
}

const command = process.argv.length > 2 ? process.argv.slice(2) : ['npm', 'test']
const slowdown = process.platform === 'linux' ? (byQuota() ?? byBurners()) : undefined
if (slowdown === undefined) {
  console.error('test:slow needs Linux with taskset (util-linux), or the right to set a CPU quota in /sys/fs/cgroup')
  process.exit(1)
}
console.log(`test:slow: ${command.join(' ')}, on ${slowdown.description}`)
const [program = '', ...args] = [...slowdown.prefix, ...command]
const child = spawn(program, args, { stdio: 'inherit' })
const stop = (signal: NodeJS.Signals): void => void child.kill(signal)
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.on('exit', slowdown.end)
child.on('error', (error) => {
  console.error(`test:slow: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code) => process.exit(code ?? 1))
