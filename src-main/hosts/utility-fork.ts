// The runtime's child processes as Electron's utility processes: the app's executable cannot be run as plain Node once
// its fuses are set. They lead no process group, and support only V8's flags, not Node's.

import { EventEmitter } from 'node:events'
import type { ForkOptions as NodeForkOptions } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { ForkOptions, UtilityProcess } from 'electron'
import type { ChildRole, Fork, ForkedProcess } from '../../src-runtime/shared/fork.ts'

export type StartUtility = (file: string, args: string[], options: ForkOptions) => UtilityProcess

const SERVICE_NAMES: Readonly<Record<ChildRole, string>> = {
  programs: 'WES Programs',
  effects: 'WES Effects',
  schemas: 'WES Schemas',
  upgrade: 'WES Upgrade',
}

export const utilityFork = (startUtility: StartUtility, role: ChildRole, unpacked: (file: string) => string): Fork => ({
  makesGroups: false,
  takesPermissions: false,
  start: (file, args, options) => {
    const { cwd, env, execArgv = [], stdio } = options
    const printed = Array.isArray(stdio) ? stdio.slice(0, 3) : ['ignore', 'ignore', 'ignore']
    const utility = startUtility(unpacked(file), [...args], {
      serviceName: SERVICE_NAMES[role],
      stdio: printed as ('ignore' | 'pipe')[],
      execArgv: jsFlags(execArgv),
      env: { ...platformNeeds(), ...definedOf(env) },
      ...(cwd !== undefined && { cwd: String(cwd) }),
      // macOS: what the user is asked for on behalf of other code is not asked in our name. An upgrade uses our own, and may use the data.
      disclaim: role !== 'upgrade',
    })
    return new ForkedUtility(utility)
  },
})

/** `--js-flags` takes only V8's flags, not Node's permissions, so the code in the process has to restrict itself. */
const V8_FLAG =
  /^--(?:max-old-space-size|max-semi-space-size|stack-size|expose-gc|disallow-code-generation-from-strings)(?:=|$)/
const jsFlags = (execArgv: readonly string[]): string[] => {
  const flags = execArgv.filter((flag) => V8_FLAG.test(flag))
  return flags.length === 0 ? [] : [`--js-flags=${flags.join(' ')}`]
}

/** Windows needs these to start a process. */
const platformNeeds = (): Record<string, string> =>
  definedOf(
    process.platform === 'win32'
      ? { SystemRoot: process.env['SystemRoot'], TEMP: process.env['TEMP'], TMP: process.env['TMP'] }
      : {},
  )

const definedOf = (env: NodeForkOptions['env'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

class ForkedUtility extends EventEmitter implements ForkedProcess {
  readonly #utility: UtilityProcess
  #over: { readonly code: number | null; readonly signal: string | null } | undefined
  #isKilled = false
  readonly stdout: Readable | null
  readonly stderr: Readable | null

  constructor(utility: UtilityProcess) {
    super()
    this.#utility = utility
    this.stdout = utility.stdout as Readable | null
    this.stderr = utility.stderr as Readable | null
    utility.on('spawn', () => {
      if (this.#isKilled) this.#end()
      this.emit('spawn')
    })
    // Tells that V8 gives up, such as without memory; `exit` follows. Without a listener, it would be thrown and end the app.
    utility.on('error', () => undefined)
    utility.on('message', (message: unknown) => this.emit('message', message))
    utility.on('exit', (code) => {
      this.#over = this.#isKilled ? { code: null, signal: 'SIGKILL' } : { code, signal: null }
      const { code: exitCode, signal } = this.#over
      this.emit('exit', exitCode, signal)
      this.emit('close', exitCode, signal)
    })
  }

  get pid(): number | undefined {
    return this.#utility.pid
  }
  get connected(): boolean {
    return this.#over === undefined
  }
  get exitCode(): number | null {
    return this.#over?.code ?? null
  }
  get signalCode(): string | null {
    return this.#over?.signal ?? null
  }

  send(message: object, sent: () => void): void {
    this.#utility.postMessage(message)
    setImmediate(sent)
  }

  /** Once it has started, if that is still to come. */
  kill(): boolean {
    this.#isKilled = true
    this.#end()
    return true
  }

  /** Its own `kill` does not end code that hangs. */
  #end(): void {
    const { pid } = this.#utility
    if (pid === undefined) return
    try {
      process.kill(pid, constants.signals.SIGKILL)
    } catch {
      // It has already ended.
    }
    this.#utility.kill()
  }

  /** The process ends with the app, and never keeps it alive. */
  unref(): void {}
}
