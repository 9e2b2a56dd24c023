// What reads a project while the system opens no more files.

import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { createProject, tinyProgram } from './project.test-support.ts'

/** Runs `work` twice, without file descriptors and with them, and prints its results or its errors. */
const runTwice = (imports: string, work: string): string => {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    ${imports}
    const attempt = async () => {
      try { console.log(JSON.stringify(await (${work})())) } catch (error) { console.log(error.code ?? error.message) }
    }
    const opened = []
    try { for (;;) opened.push(openSync('/dev/null')) } catch {}
    await attempt()
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const descriptor of opened) closeSync(descriptor)
    await attempt()
    process.exit(0)`
  const shell = 'ulimit -n 120; exec "$0" --input-type=module -e "$1"'
  return spawnSync('/bin/sh', ['-c', shell, process.execPath, script], { encoding: 'utf8' }).stdout
}

const urlOf = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)

it.runIf(process.platform === 'linux')('a scan fails, and does not find that all Programs are gone', () => {
  const project = createProject({ 'programs/a.ts': tinyProgram('a') })
  onTestFinished(project.dispose)
  const work = `async () => (await discover(${JSON.stringify(project.folder)}, ['programs/*.ts'])).files`
  expect(runTwice(`import { discover } from ${urlOf('discover.ts')}`, work)).toBe('EMFILE\n["programs/a.ts"]\n')
})

it.runIf(process.platform === 'linux')('a folder may be a project although it cannot be read just now', () => {
  const project = createProject({ 'programs/a.ts': tinyProgram('a') })
  onTestFinished(project.dispose)
  const work = `() => new Promise((resolve) => {
    whenProjectAppears(${JSON.stringify(project.folder)}, { wasProject: false, mayWatch: false }, resolve)
  })`
  const printed = runTwice(`import { whenProjectAppears } from ${urlOf('when-project-appears.ts')}`, work)
  expect(printed).toBe('false\nfalse\n')
})

it.runIf(process.platform === 'linux')('bundling fails, and the runtime goes on', () => {
  const work = `async () => (await build({ stdin: { contents: '1' }, write: false })).errors`
  const printed = runTwice(`import { build } from ${urlOf('call-esbuild.ts')}`, work)
  expect(printed).toBe('the process that bundles could not start\n[]\n')
})
