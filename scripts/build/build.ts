// `node scripts/build/build.ts [--if-stale] TARGET…`

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { fingerprintOf, isFresh, markBuilt } from './freshness.ts'
import { TARGETS, type TargetName } from './targets.ts'

const ROOT = join(import.meta.dirname, '../..')

const isTarget = (name: string): name is TargetName => Object.hasOwn(TARGETS, name)

/** Builds what is not made of today's sources. Rejects with what the build said when it fails. */
export const buildStale = async (
  names: readonly TargetName[],
  tell: (line: string) => void,
  root = ROOT,
): Promise<void> => {
  for (const name of names) {
    if (!isFresh(name, root)) await build(name, tell, root)
  }
}

const build = async (name: TargetName, tell: (line: string) => void, root: string): Promise<void> => {
  const target = TARGETS[name]
  const fingerprint = fingerprintOf(target, root)
  tell(`building ${target.title}…`)
  const child = spawn(process.execPath, target.command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code === 0) return markBuilt(name, fingerprint, root)
  throw new Error(
    `${target.title} cannot be built (${signal ?? `exit code ${code}`}):\n${stripVTControlCharacters(said).trimEnd()}`,
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
  const tell = (line: string): void => console.log(line)
  if (values['if-stale']) return buildStale(names, tell)
  for (const name of names) await build(name, tell, ROOT)
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
