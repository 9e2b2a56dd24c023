// After any changes to the files of a project, in any order, the deployed Programs match the files.

import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { compileProject } from './build-project.ts'
import { createSource } from './create-source.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject, tinyProgram, type TestProject } from './project.test-support.ts'
import type { SourceError } from './source-error.ts'
import type { SourceArtifact } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const FILES = ['programs/a.ts', 'programs/b.ts', 'programs/deep/c.ts', 'programs/deep/er/d.ts'] as const
const SHARED = 'shared/rate.ts'

const usingShared = (id: string) =>
  `import { defineProgram } from 'workflow-execution-service'\nimport { rate } from '${'../'.repeat(id.length)}shared/rate.ts'\nexport default defineProgram({ id: '${id}' }, async () => rate)\n`

type Step =
  | { readonly kind: 'write' | 'save' | 'half'; readonly file: number; readonly value: number }
  | { readonly kind: 'share'; readonly file: number; readonly value: number }
  | { readonly kind: 'rate'; readonly value: number }
  | { readonly kind: 'break' | 'remove'; readonly file: number }
  | { readonly kind: 'rename'; readonly file: number; readonly to: number }
  | { readonly kind: 'pause' }

const file = fc.nat(FILES.length - 1)
const value = fc.nat(9)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('write', 'save', 'half'), file, value }),
  fc.record({ kind: fc.constant('share' as const), file, value }),
  fc.record({ kind: fc.constant('rate' as const), value }),
  fc.record({ kind: fc.constantFrom('break', 'remove'), file }),
  fc.record({ kind: fc.constant('rename' as const), file, to: file }),
  fc.record({ kind: fc.constant('pause' as const) }),
)

const idOf = (path: string): string => /([a-d])\.ts$/.exec(path)![1]!

const play = async (project: TestProject, { kind, ...step }: Step): Promise<void> => {
  const path = 'file' in step ? FILES[step.file]! : ''
  const depth = path.split('/').length - 1
  try {
    if (kind === 'pause') await new Promise((resolve) => setImmediate(resolve))
    if (kind === 'rate' && 'value' in step) project.save(SHARED, `export const rate = ${step.value}\n`)
    if (kind === 'write' && 'value' in step) project.write(path, tinyProgram(idOf(path), `return ${step.value}`))
    if (kind === 'save' && 'value' in step) project.save(path, tinyProgram(idOf(path), `return ${step.value}`))
    if (kind === 'half') project.write(path, tinyProgram(idOf(path)).slice(0, 90))
    if (kind === 'share') project.save(path, usingShared(idOf(path)).replace(/(?:\.\.\/)+/, '../'.repeat(depth)))
    if (kind === 'break') project.write(path, tinyProgram(idOf(path), 'return ('))
    if (kind === 'remove') project.remove(path)
    if (kind === 'rename' && 'to' in step) project.rename(path, FILES[step.to]!)
  } catch (error) {
    // A file that does not exist.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

describe('after many random changes', () => {
  it('the deployed Programs match the files', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const project = createProject({ [SHARED]: 'export const rate = 0\n', [FILES[0]]: tinyProgram('a') })
        const live = new Map<string, SourceArtifact>()
        const source = createSource({
          folder: project.folder,
          watch: true,
          log: pino({ level: 'silent' }),
          evaluator,
          versions: {
            deploy: (artifact) => {
              live.set(artifact.id, artifact)
              return Promise.resolve({ kind: 'created', versionNumber: 1, projectId: 'default' })
            },
            retire: (_projectId, id) => {
              live.delete(id)
              return Promise.resolve()
            },
            deployedFrom: () => Promise.resolve([]),
          },
        })
        try {
          await source.start()
          for (const one of steps) await play(project, one)
          const { programs, errors } = await compileProject({ folder: project.folder, evaluator })
          await vi.waitFor(
            () => {
              // A module that fails now keeps its former id, which a fresh build cannot know.
              const told = source.status().errors
              const ofClaims = told.filter(({ message }) => message.includes('is also used by'))
              const claimed = new Set(ofClaims.map(({ message }) => /id "(.)"/.exec(message)![1]!))
              const isOther = ({ message }: SourceError) => !message.includes('is also used by')
              expect(told.filter(isOther)).toEqual(errors.filter(isOther))
              expect(told.map(({ path }) => path)).toEqual(expect.arrayContaining(errors.map(({ path }) => path)))
              for (const { id, artifact } of programs) if (!claimed.has(id)) expect(live.get(id)).toEqual(artifact)
              const compiled = new Set(programs.map(({ id }) => id))
              for (const id of live.keys()) expect(compiled.has(id) || errors.length > 0).toBe(true)
            },
            { interval: 10 },
          )
        } finally {
          await source.stop()
          project.dispose()
        }
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })
})
