// Builds the bundle that `wes` runs: out/wes/ID/main.js, and dev.cjs for `wes dev`, with child processes and files at the
// same paths as in the sources. A bundle is never changed, because a running `wes` loads parts of it later; out/wes/current names the newest.
// src-cli/wes.mjs runs this when the sources have changed.

import { randomBytes, createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path/posix'
import { setTimeout as sleep } from 'node:timers/promises'
import { build, type Plugin } from 'esbuild'
import { inputAt, INPUTS_FILE, type Input } from '../src-cli/bundle-inputs.ts'
import { CODE_FILE } from '../src-runtime/sandbox/host-script.ts'
import { bundleSdk } from '../src-runtime/source/sdk-module.ts'
import { bundleHost, makeHostCode } from './build/host-bundle.ts'
import { asScript, ofProcess, onNode } from './build/node-bundles.ts'
import { CHILD_PROCESSES, FILES, filesOfRuntime, GUEST_SOURCES, HOST, SDK, WES_PROCESSES } from './runtime-files.ts'

const ENTRY = 'src-cli/main.ts'
const TEMPLATE = 'src-cli/new/template/**/*'
/** Files that affect how a bundle is built, and its packages. */
const MADE_BY = [
  'scripts/bundle-wes.ts',
  'scripts/build/node-bundles.ts',
  'scripts/build/host-bundle.ts',
  'scripts/build/make-host-code.ts',
  'scripts/runtime-files.ts',
  'package.json',
  'package-lock.json',
]

/** The resolution of file times, at worst. */
const STAMP_MS = 20
const MOST_TRIES = 10
const DAY_MS = 86_400_000
/** Kept this long, because a runtime may still run from an old bundle. */
const KEPT = { newest: 3, youngerThanMs: 2 * DAY_MS }

const root = join(import.meta.dirname.replaceAll('\\', '/'), '..')
const bundles = join(root, 'out/wes')

const filesIn = (folder: string, patterns: readonly string[]): readonly string[] =>
  globSync(patterns, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath.replaceAll('\\', '/'), name)))
    .toSorted()

/** Leaves other commands out of `dev.cjs`: wes.mjs runs it for `wes dev` only. */
const withoutOtherCommands: Plugin = {
  name: 'without-other-commands',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' &&
      /^src-cli\/(?!dev\/|main\.ts)/.test(relative(root, importer.replaceAll('\\', '/'))) &&
      path !== './dev/dev.ts'
        ? { path, external: true }
        : undefined,
    ),
}

/** Bundles each child process into one file, at the path of its source. Returns the sources that were read. */
const writeBundle = async (folder: string): Promise<ReadonlySet<string>> => {
  const outfile = (entry: string): string => join(folder, entry.replace(/ts$/, 'js'))
  const main = build({
    ...onNode('.', 'node24'),
    entryPoints: [ENTRY],
    outdir: folder,
    splitting: true,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
  })
  const options = asScript('.', 'node24')
  const dev = build({
    ...options,
    entryPoints: [ENTRY],
    outfile: join(folder, 'dev.cjs'),
    plugins: [withoutOtherCommands, ...options.plugins],
  })
  const children = [...CHILD_PROCESSES, ...WES_PROCESSES]
    .filter((entry) => entry !== HOST)
    .map(async (entry) => build({ ...ofProcess(entry, 'node24'), outfile: outfile(entry) }))
  const [sdk, host, ...built] = await Promise.all([
    bundleSdk(join(root, SDK)),
    bundleHost(folder),
    main,
    dev,
    ...children,
  ])
  mkdirSync(join(folder, SDK), { recursive: true })
  writeFileSync(join(folder, SDK, 'index.js'), sdk.code)
  const template = filesIn(root, [TEMPLATE])
  for (const path of template) cpSync(join(root, path), join(folder, path))
  for (const [path, bytes] of filesOfRuntime()) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type: 'module', version })}\n`)
  makeHostCode(folder)

  const modules = [
    ...[...host, ...built].flatMap(({ metafile }) => Object.keys(metafile.inputs)),
    ...sdk.inputs.map((path) => relative(root, path.replaceAll('\\', '/'))),
  ]
  const ours = modules.filter((path) => !/node_modules\/|^built-(?:in|late):/.test(path))
  const files = [...template, ...filesIn(root, [...FILES, GUEST_SOURCES])]
  return new Set([...MADE_BY, ...ours, ...files, ...files.map((path) => dirname(path))])
}

/** A hash of the built files, without files that are added later, and without V8's code, which is not the same in each build. */
const contentId = (folder: string): string => {
  const hash = createHash('sha256')
  for (const path of filesIn(folder, ['**/*'])) {
    if (path === INPUTS_FILE || path.startsWith('cache/') || path.endsWith(CODE_FILE)) continue
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(folder, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Atomic: readers see the old text or the new one. */
const replaceFile = (file: string, text: string): void => {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

/** For a bundle whose files were changed later. */
const replaceFolder = (folder: string, draft: string): void => {
  const old = `${draft}.old`
  renameSync(folder, old)
  renameSync(draft, folder)
  rmSync(old, { recursive: true, force: true })
}

/** Builds of the same sources are the same, so any of several concurrent builds may be first. */
const publish = (draft: string, inputs: readonly Input[]): void => {
  const id = contentId(draft)
  const folder = join(bundles, id)
  writeFileSync(join(draft, INPUTS_FILE), JSON.stringify(inputs))
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    if (contentId(folder) === id) replaceFile(join(folder, INPUTS_FILE), JSON.stringify(inputs))
    else replaceFolder(folder, draft)
  }
  const now = new Date()
  utimesSync(folder, now, now)
  replaceFile(join(bundles, 'current'), id)
}

const dropOld = (): void => {
  const found = readdirSync(bundles, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ folder: join(bundles, name), usedAt: statSync(join(bundles, name)).mtimeMs }))
    .toSorted((left, right) => right.usedAt - left.usedAt)
  for (const { folder, usedAt } of found.slice(KEPT.newest)) {
    if (usedAt < Date.now() - KEPT.youngerThanMs) rmSync(folder, { recursive: true, force: true })
  }
}

const tryOnce = async (): Promise<'made' | 'changed'> => {
  const draft = join(bundles, `.new-${randomBytes(6).toString('hex')}`)
  const from = Date.now()
  try {
    mkdirSync(draft, { recursive: true })
    const paths = await writeBundle(draft)
    const inputs = [...paths].toSorted().map((path) => inputAt(root, path))
    if (inputs.some(({ mtimeMs }) => mtimeMs > from - STAMP_MS)) return 'changed'
    publish(draft, inputs)
    return 'made'
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const make = async (): Promise<void> => {
  for (let tries = 1; (await tryOnce()) === 'changed'; tries++) {
    if (tries === MOST_TRIES) throw new Error('the sources change while it is built')
    await sleep(STAMP_MS)
  }
  dropOld()
}

try {
  await make()
} catch (error) {
  // esbuild has printed the errors of the sources itself.
  if (!(error instanceof Error && 'errors' in error)) {
    console.error(`wes: cannot build the bundle in ${bundles}: ${String(error)}`)
  }
  process.exitCode = 1
}
