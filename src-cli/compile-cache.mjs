// Keeps compiled code between starts, which halves the start-up time. Plain JavaScript, because TypeScript would have to
// be compiled first. Only processes that the user starts write these files: Program hosts cannot.

const { mkdirSync, readFileSync, rename, writeFile } = process.getBuiltinModule('node:fs')
const { createRequire, enableCompileCache, flushCompileCache, constants } = process.getBuiltinModule('node:module')
const { homedir } = process.getBuiltinModule('node:os')
const { basename, dirname, isAbsolute, join } = process.getBuiltinModule('node:path')

/** By then the start is over, and all that it used is compiled. */
const FLUSH_AFTER_MS = 3_000

/** The user's own folder, because other users can write to Node's default below /tmp. Undefined for a user without a home. */
const ofUser = () => {
  try {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
    // A relative path would lead to compiled code of whoever wrote the current folder.
    return isAbsolute(cache) ? join(cache, 'wes', 'compile-cache') : undefined
  } catch {
    return undefined
  }
}

const inOrder = (folder) => [process.env.NODE_COMPILE_CACHE || folder, ofUser()].filter(Boolean)

/** Turns on Node's cache. Uses `folder`, or the user's own folder if `folder` is not writable. */
export const turnCompileCacheOn = (folder) => {
  const [first, second] = inOrder(folder)
  if (first === undefined) return
  const { status } = enableCompileCache(first)
  if (status === constants.compileCacheStatus.FAILED && second !== undefined) enableCompileCache(second)
  // Node writes the cache only when a process exits normally, and runtimes are often killed.
  setTimeout(() => flushCompileCache(), FLUSH_AFTER_MS).unref()
}

/** Undefined if there is none. */
const readIfThere = (file) => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Renames after a flush, because V8 does not check the content of such a file. */
const writeTo = ([folder, ...others], name, code) => {
  if (folder === undefined) return
  const draft = join(folder, `.${name}.${process.pid}`)
  const onFailed = (error) => error && writeTo(others, name, code)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    return onFailed(error)
  }
  writeFile(draft, code, { flush: true }, (error) =>
    error ? onFailed(error) : rename(draft, join(folder, name), onFailed),
  )
}

/**
 * Runs a script of a bundle and returns what it exports. Keeps all functions that a start has called: Node's cache holds only what
 * V8 compiles before a module runs. Uses `folder`, or the user's own folder if `folder` is not writable.
 */
export const runScript = (file, folder) => {
  const { Script, constants: vm } = process.getBuiltinModule('node:vm')
  // A build writes ASCII only, and Node reads Latin-1 faster.
  const source = `(function (exports, require, module, __dirname) {${readFileSync(file, 'latin1')}\n})`
  const folders = inOrder(folder)
  const name = `${basename(dirname(file))}-${basename(file)}-${process.version}-${process.arch}`
  const cachedData = folders.map((where) => readIfThere(join(where, name))).find((code) => code !== undefined)
  const importModuleDynamically = vm.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const script = new Script(source, { filename: file, cachedData, importModuleDynamically })
  if (cachedData === undefined || script.cachedDataRejected) {
    setTimeout(() => writeTo(folders, name, script.createCachedData()), FLUSH_AFTER_MS).unref()
  }
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, dirname(file))
  return module.exports
}
