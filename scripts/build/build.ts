// `node scripts/build/build.ts [--if-stale] TARGET…`

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { fingerprintOf, isFresh, markBuilt } from './freshness.ts'
import { TARGETS, type TargetName } from './targets.ts'

const ROOT = join(import.meta.dirname, '../..')

const isTarget = (name: string): name is TargetName => Object.hasOwn(TARGETS, name)

/** Builds the targets whose sources have changed. Rejects with the output of a failed build. */
export const buildStale = async (
  names: readonly TargetName[],
  print: (line: string) => void,
  root = ROOT,
): Promise<void> => {
  for (const name of names) {
    if (!isFresh(name, root)) await build(name, print, root)
  }
}

const build = async (name: TargetName, print: (line: string) => void, root: string): Promise<void> => {
  const target = TARGETS[name]
  const fingerprint = fingerprintOf(target, root)
  print(`building ${target.title}…`)
  const child = spawn(process.execPath, target.command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code === 0) return markBuilt(name, fingerprint, root)
  throw new Error(
    `${target.title} cannot be built (${signal ?? `exit code ${code}`}):\n${stripVTControlCharacters(output).trimEnd()}`,
  )
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    options: { 'if-stale': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const names = positionals.filter(isTarget)
  if (names.length === 0 || names.length < positionals.length) {
    throw new Error(`usage: build.ts [--if-stale] ${Object.keys(TARGETS).join('|')} …`)
  }
  const print = (line: string): void => console.log(line)
  if (values['if-stale']) return buildStale(names, print)
  for (const name of names) await build(name, print, ROOT)
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
