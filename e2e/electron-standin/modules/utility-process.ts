import { type ChildProcess, fork as forkChild, type IOType } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ForkOptions, UtilityProcess } from 'electron'
import { emulate, notEmulated, type Part } from '../emulate.ts'
import { isRunning, NODE } from '../running.ts'

const BOOT = join(import.meta.dirname, '../utility-boot.ts')

/** A child process of Node instead of Chromium, with the same behaviour. */
class StandInUtilityProcess extends EventEmitter implements Part<UtilityProcess> {
  #child: ChildProcess | undefined
  #hasStarted = false
  readonly stdout: Readable | null
  readonly stderr: Readable | null

  constructor(child: ChildProcess) {
    super()
    this.#child = child
    this.stdout = child.stdout
    this.stderr = child.stderr
    child.on('spawn', () => {
      this.#hasStarted = true
      this.emit('spawn')
    })
    child.on('message', (message) => this.emit('message', message))
    child.on('error', (error) => console.error('stand-in: utilityProcess:', error))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      this.emit('exit', code ?? constants.signals[signal!])
    })
  }
  get pid(): number | undefined {
    return this.#hasStarted ? this.#child?.pid : undefined
  }
  postMessage(message: unknown, transfer?: unknown[]): void {
    if (transfer?.length) throw notEmulated('UtilityProcess#.postMessage with ports')
    // Messages to an ending child are lost, as in Electron.
    this.#child?.send(message as object, () => {})
  }
  kill(): boolean {
    return this.#child?.kill('SIGTERM') ?? false
  }
}

/** Electron's executable has one switch for V8's flags, and does not support Node's. */
const V8_FLAGS = '--js-flags='
const v8Flags = (execArgv: readonly string[]): readonly string[] =>
  execArgv.flatMap((flag) => (flag.startsWith(V8_FLAGS) ? flag.slice(V8_FLAGS.length).split(' ') : []))

const fork = (modulePath: string, args?: string[], options: ForkOptions = {}): UtilityProcess => {
  if (!isRunning()) throw new Error('utilityProcess cannot be created before app is ready.')
  const { cwd, env, execArgv = [], stdio = 'inherit' } = options
  const streams = (Array.isArray(stdio) ? stdio : ['ignore', stdio, stdio]) as readonly IOType[]
  const [, stdout = 'inherit', stderr = 'inherit'] = streams
  const child = forkChild(modulePath, args ?? [], {
    cwd,
    env: env as NodeJS.ProcessEnv | undefined,
    execArgv: ['--unhandled-rejections=warn-with-error-code', ...v8Flags(execArgv), '--import', BOOT],
    execPath: NODE,
    serialization: 'advanced',
    stdio: ['ignore', stdout, stderr, 'ipc'],
  })
  return emulate<UtilityProcess>()('UtilityProcess#', new StandInUtilityProcess(child))
}

export const utilityProcess = emulate<Omit<typeof Electron.UtilityProcess, 'prototype'>>()('utilityProcess', { fork })
