// The single-instance lock of a userData folder. Requesting it is synchronous, so it is a link that names the owner's pid, as
// Electron's is (it needs no room on a full disk), and other processes leave messages for the owner beside it.

import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SecondInstance = {
  readonly argv: readonly string[]
  readonly workingDirectory: string
  readonly additionalData: unknown
}

/**
 * Returns a function that releases the lock; undefined if another process has it, which then gets `own`, or if the folder or the one for
 * temporary files, where Electron's socket is, cannot be written to (`App::RequestSingleInstanceLock` answers all in the same way).
 */
export const takeInstanceLock = (
  userData: string,
  own: SecondInstance,
  onSecond: (second: SecondInstance) => void,
): (() => void) | undefined => {
  const folder = join(userData, 'SingletonStandIn')
  try {
    mkdirSync(folder, { recursive: true })
    rmdirSync(mkdtempSync(join(tmpdir(), 'standin-socket-')))
    return takeIn(folder, own, onSecond)
  } catch {
    return undefined
  }
}

const takeIn = (
  folder: string,
  own: SecondInstance,
  onSecond: (second: SecondInstance) => void,
): (() => void) | undefined => {
  const lock = join(folder, 'lock')
  // Removes the lock of a dead owner once; concurrent processes may do the same.
  for (const isLastTry of [false, true]) {
    try {
      symlinkSync(String(process.pid), lock)
      return hold(folder, lock, onSecond)
    } catch {
      if (isLastTry || isAlive(Number(readOwner(lock)))) break
      rmSync(lock, { force: true })
    }
  }
  const message = join(folder, `message-${process.pid}`)
  writeFileSync(`${message}.part`, JSON.stringify(own))
  renameSync(`${message}.part`, `${message}.json`)
  return undefined
}

const hold = (folder: string, lock: string, onSecond: (second: SecondInstance) => void): (() => void) => {
  const receive = () => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
      const text = readFileSync(join(folder, name), 'utf8')
      rmSync(join(folder, name))
      onSecond(JSON.parse(text) as SecondInstance)
    }
  }
  const watcher = watch(folder, receive)
  watcher.unref()
  const release = () => {
    watcher.close()
    rmSync(lock, { force: true })
    process.off('exit', release)
  }
  process.once('exit', release)
  return release
}

const readOwner = (lock: string): string => {
  try {
    return readlinkSync(lock)
  } catch {
    return ''
  }
}

const isAlive = (pid: number): boolean => {
  try {
    if (pid > 0) process.kill(pid, 0)
    return pid > 0
  } catch {
    return false
  }
}
