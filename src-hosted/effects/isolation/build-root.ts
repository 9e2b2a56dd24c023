// Makes the folder that becomes the root of isolated hosts: Node with its shared libraries, the host's own modules, and
// empty folders. It is the same for all hosts, which cannot write to it.

import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { hostModules } from './host-modules.ts'
import { TOOLS, type IsolationPlan, type Tool } from './isolation-command.ts'
import { librariesOf, linkageOf } from './shared-libraries.ts'

/** Where the host's modules are inside. */
export const MODULES = '/wes'

/** Throws with a reason that a person understands. */
export const buildRoot = async (folder: string, options: { readonly asRoot: boolean }): Promise<IsolationPlan> => {
  const tools = findTools()
  const node = realpathSync(process.execPath)
  const linkage = await linkageOf(node)
  const root = join(folder, 'root')
  for (const empty of ['bin', 'etc', 'mnt', 'proc', 'run', 'tmp']) mkdirSync(join(root, empty), { recursive: true })
  for (const library of new Set([...linkage.libraries, ...(await librariesOf(tools.unshare, linkage))])) {
    copy(library, join(root, library))
  }
  copy(tools.unshare, join(root, 'bin/unshare'))
  for (const [path, content] of hostModules()) {
    write(join(root, MODULES, path), content)
  }
  write(join(root, MODULES, 'package.json'), '{ "type": "module" }')
  write(join(root, 'etc/passwd'), 'effects:x:1000:1000::/tmp:\n')
  const isCopied = options.asRoot && !isReachable(node)
  if (isCopied) copy(node, join(root, 'bin/node'))
  else write(join(root, 'bin/node'), '')
  const umountLibraries = [...new Set((await librariesOf(tools.umount, linkage)).map((path) => dirname(path)))]
  return { tools, umountLibraries, root, node: isCopied ? undefined : node }
}

const FOLDERS_OF_TOOLS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

const findTools = (): Readonly<Record<Tool, string>> => {
  const found = TOOLS.map((tool) => [tool, fileOf(tool)] as const)
  const missing = found.flatMap(([tool, file]) => (file === undefined ? [tool] : []))
  if (missing.length > 0) throw new Error(`this system lacks ${missing.join(', ')}, which util-linux has`)
  return Object.fromEntries(found) as Record<Tool, string>
}

const fileOf = (tool: Tool): string | undefined =>
  FOLDERS_OF_TOOLS.map((folder) => join(folder, tool)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** Whether every user may execute it. */
const isReachable = (file: string): boolean => {
  for (let path = file; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false
    if (dirname(path) === path) return true
  }
}

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  chmodSync(to, 0o755)
}

const write = (file: string, content: string | Buffer): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode: 0o644 })
}
