import { expect, it, onTestFinished } from 'vitest'
import { createCompiler } from './compile.ts'
import { createProject } from './project.test-support.ts'
import { createLookAtProject } from './project-view.ts'

const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { pay } from './a.effects.ts'
export default defineProgram({ id: 'a' }, async () => pay())
`
const effects = (result: number): string => `export const pay = async () => ${result}`

it('does not use what was compiled while a file was being written, which may mix two states of it', async () => {
  const project = createProject({ 'programs/a.ts': PROGRAM, 'programs/a.effects.ts': effects(1) })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  let isWritten = 0
  const compile: typeof compiler.compile = async (paths) => {
    const compiled = await compiler.compile(paths)
    if (isWritten > 0) project.write('programs/a.effects.ts', effects(isWritten))
    return compiled
  }
  const look = createLookAtProject({ ...compiler, compile }, () => expect.unreachable())
  const usedCode = async (): Promise<string | undefined> =>
    (await look()).files.get('programs/a.ts')!.good[0]?.artifact.effects?.code

  isWritten = 2
  expect(await usedCode()).toBeUndefined()
  isWritten = 0
  expect(await usedCode()).toContain('=> 2')
  project.write('programs/a.effects.ts', effects(3))
  isWritten = 4
  const view = await look()
  expect(view.files.get('programs/a.ts')!.good[0]!.artifact.effects!.code).toContain('=> 2')
  expect(view.againMs).toBeDefined()
  isWritten = 0
  expect(await usedCode()).toContain('=> 4')
})
