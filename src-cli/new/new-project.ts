// `wes new`: creates a project from the files in template/.

import { access, copyFile, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep, win32 } from 'node:path'
import { trustFolder } from '#runtime/data-directory/trusted-folders.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import { makeFolder } from '#runtime/shared/make-folder.ts'
import { CommandFailure, UsageError } from '../failures.ts'
import { reasonOf } from '../reason-of.ts'
import type { Terminal } from '../terminal.ts'
import { shellWord } from '../shell-word.ts'
import { printable } from '../text.ts'
import { windowsNameFault } from './windows-names.ts'

const TEMPLATE = join(import.meta.dirname, 'template')
/** This checkout, which new projects link to. This module may have been bundled into out/wes/ID. */
const ROOT = join(import.meta.dirname, '../..').replace(/([\\/])out\1wes\1[^\\/]+$/, '')

/** Files with other names in template/, because packaging tools would act on them there. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' }

/** Files that tools add to an empty folder. */
const HARMLESS = new Set(['.git', '.DS_Store', 'Thumbs.db'])

export const newProject = async (
  given: string,
  terminal: Terminal,
  { json = false, platform = process.platform }: { readonly json?: boolean; readonly platform?: NodeJS.Platform } = {},
): Promise<void> => {
  if (given === '') throw new UsageError('DIR is empty: . is this folder')
  if (platform === 'win32') refuseUnlessName(given)
  const folder = resolve(given)
  const isThere = await refuseUnlessEmpty(folder, given)
  await ensureClientIsBuilt()
  const files = (await readdir(TEMPLATE, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(TEMPLATE, join(parentPath, name)))
    .sort()
  try {
    for (const file of files) await copyInto(folder, file)
  } catch (error) {
    await takeBack(folder, files, isThere)
    throw new CommandFailure('folder_unwritable', `cannot write to ${given}: ${reasonOf(error)}`)
  }
  trustOwnFolder(folder)
  if (json) return terminal.out(`${JSON.stringify({ folder, files: files.map(nameOf) })}\n`)
  const enter = folder === process.cwd() ? '' : `cd ${shellWord(shorter(folder))}\n  `
  await terminal.out(
    `created ${files.length} files in ${printable(folder)}\n\nNext:\n  ${enter}npm install\n  npm test\n  npm run dev\n`,
  )
}

/** A part of a project would not work, and the next `wes new` would refuse the folder. */
const takeBack = async (folder: string, files: readonly string[], wasThere: boolean): Promise<void> => {
  try {
    for (const name of new Set(files.map((file) => nameOf(file).split(sep)[0]!))) {
      await rm(join(folder, name), { recursive: true, force: true })
    }
    if (!wasThere) await rmdir(folder)
  } catch {
    // What stopped the creation is told.
  }
}

/** So that the desktop app opens the folder without asking. */
const trustOwnFolder = (folder: string): void => {
  try {
    trustFolder(defaultDataDirectory(process.env), folder)
  } catch {
    // The project works without this; the desktop app asks.
  }
}

/** Shells take a name that begins with a hyphen for a flag. */
const shorter = (folder: string): string => {
  const path = relative(process.cwd(), folder)
  return /^(?:\.\.|-)/.test(path) ? folder : path
}

/** Windows opens some of them as something else. */
const refuseUnlessName = (given: string): void => {
  const name = win32.basename(win32.normalize(given))
  const fault = /^\.{1,2}$/.test(name) || win32.parse(given).root === given ? undefined : windowsNameFault(name)
  if (fault !== undefined) throw new UsageError(`"${given}" cannot be the project’s folder: ${fault}`)
}

/** Returns whether the folder exists. */
const refuseUnlessEmpty = async (folder: string, given: string): Promise<boolean> => {
  let names: readonly string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    const why = code === 'ENOTDIR' ? 'it is a file' : reasonOf(error)
    throw new CommandFailure('folder_unusable', `cannot create a project in ${given}: ${why}`)
  }
  const found = names.filter((name) => !HARMLESS.has(name))
  if (found.length === 0) return true
  const shown = found.slice(0, 3).join(', ') + (found.length > 3 ? ` and ${found.length - 3} more` : '')
  throw new CommandFailure('folder_not_empty', `${given} is not empty: it contains ${shown}`, {
    hint: 'Choose another folder: `wes new DIR` creates it.',
  })
}

const nameOf = (file: string): string => RENAMED[file] ?? file

const copyInto = async (folder: string, file: string): Promise<void> => {
  const target = join(folder, nameOf(file))
  makeFolder(dirname(target))
  if (file === 'package.json') await writeFile(target, await packageJson(folder), { flag: 'wx' })
  else await copyFile(join(TEMPLATE, file), target)
}

type PackageJson = {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

/** Named after its folder, and linked to this checkout for `wes` and the client. */
const packageJson = async (folder: string): Promise<string> => {
  const template = JSON.parse(await readFile(join(TEMPLATE, 'package.json'), 'utf8')) as PackageJson
  const linked = {
    ...template,
    name: packageName(basename(folder)),
    dependencies: { ...template.dependencies, 'workflow-execution-service': `file:${join(ROOT, 'src-sdk')}` },
    devDependencies: { ...template.devDependencies, 'workflow-execution-service-app': `file:${ROOT}` },
    // This checkout is built already; without this entry npm warns at every install.
    allowScripts: { ...template.allowScripts, [`file:${ROOT}`]: false },
  }
  return `${JSON.stringify(linked, undefined, 2)}\n`
}

const packageName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, 100) || 'my-programs'

/** In a fresh checkout the client is not built yet. */
const ensureClientIsBuilt = async (): Promise<void> => {
  const isBuilt = await access(join(ROOT, 'src-sdk/dist/src-sdk/testing/index.js')).then(
    () => true,
    () => false,
  )
  if (isBuilt) return
  throw new CommandFailure('not_built', 'the TypeScript client of this checkout has not been built', {
    hint: 'Build it with `npm run build:sdk`.',
  })
}
