// `npm run test:slow`: runs the tests at a quarter of the machine's speed, because they must pass on slow machines. Uses
// one core that three busy processes share, or a CPU quota.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

const SHARE = 4
const QUOTA_PERIOD_US = 100_000
const GROUP = `/sys/fs/cgroup/wes-test-slow-${process.pid}`
/** A busy loop that ends with this process. */
const BURN = 'const parent = process.ppid; while (process.ppid === parent);'

type Slowdown = {
  readonly description: string
  /** Precedes the command. */
  readonly prefix: readonly string[]
  end(): void
}

/** Runs the command in a cgroup with a quarter of one core's time. */
const byQuota = (): Slowdown | undefined => {
  try {
    mkdirSync(GROUP)
    writeFileSync(`${GROUP}/cpu.max`, `${QUOTA_PERIOD_US / SHARE} ${QUOTA_PERIOD_US}`)
  } catch {
    removeGroup()
    return undefined
  }
  return {
    description: `a CPU quota of 1/${SHARE} of one core`,
    prefix: ['sh', '-c', `echo $$ > ${GROUP}/cgroup.procs && exec "$@"`, 'sh'],
    end: removeGroup,
  }
}

const removeGroup = (): void => {
  try {
    rmdirSync(GROUP)
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
const slowdown = process.platform === 'linux' ? (byBurners() ?? byQuota()) : undefined
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
