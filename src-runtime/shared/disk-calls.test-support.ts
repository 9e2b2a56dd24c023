// Tells in which order files are named and flushed, on which it depends what a disk holds after a loss of power.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { onTestFinished } from 'vitest'

type Call = (...args: readonly never[]) => unknown

/** Grows until the test ends. Files and folders are told by their last names. Only synchronous calls are seen, and none of SQLite's. */
export const recordDiskCalls = (onCall: (call: string) => void = () => {}): readonly string[] => {
  const calls: string[] = []
  const told = (call: string): void => {
    calls.push(call)
    onCall(call)
  }
  const paths = new Map<number, string>()
  const { fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync } = fs
  const real = { fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync }
  const record = (name: 'linkSync' | 'mkdirSync' | 'renameSync' | 'rmSync', text: (...paths: string[]) => string) => {
    const call = real[name] as Call
    fs[name] = ((...args: never[]) => {
      const result = call(...args)
      told(text(...args.slice(0, 2).map((path) => basename(String(path)))))
      return result
    }) as never
  }
  record('linkSync', (_, file) => `name ${file}`)
  record('mkdirSync', (folder) => `name ${folder}`)
  record('renameSync', (_, file) => `name ${file}`)
  record('rmSync', (file) => `remove ${file}`)
  fs.openSync = (path, ...more) => {
    const opened = real.openSync(path, ...more)
    paths.set(opened, basename(String(path)))
    return opened
  }
  fs.fsyncSync = (opened) => {
    real.fsyncSync(opened)
    told(`flush ${paths.get(opened)}`)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  })
  return calls
}
