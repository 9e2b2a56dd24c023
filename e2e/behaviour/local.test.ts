import type { ProgramWithEffects } from '#runtime/behaviour/service.test-support.ts'
import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { createProject, type TestProject } from '#runtime/source/project.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'

const DEPLOY_LIMIT_MS = 30_000

const writeProgram = (project: TestProject, { id, body, effects }: ProgramWithEffects): void => {
  const names = Object.keys(effects)
  const sources = names.map((name) => `export const ${name} = ${effects[name]}\n`)
  project.write(`programs/${id}.effects.js`, sources.join(''))
  const program = `import { defineProgram } from 'workflow-execution-service'
import { ${names.join(', ')} } from './${id}.effects.js'
const effects = { ${names.join(', ')} }
export default defineProgram({ id: '${id}' }, async (ctx, input) => { ${body} })
`
  project.write(`programs/${id}.js`, program)
}

behaviourSuite('a local runtime', { home: 'local', runsUploadedEffects: false }, async () => {
  const config = '{ "programs": ["programs/*.js", "!programs/*.effects.js"] }'
  const project = createProject({ 'wes.config.json': config }, { packages: true })
  const runtime = await startRuntimeProcess({ project: project.folder })
  return {
    get url() {
      return runtime.url()
    },
    headers: {},
    restart: async () => {
      await runtime.kill()
      await runtime.start()
    },
    deployWithEffects: async (program) => {
      writeProgram(project, program)
      const deadline = performance.now() + DEPLOY_LIMIT_MS
      while ((await fetch(`${runtime.url()}/v1/programs/${program.id}`)).status !== 200) {
        if (performance.now() > deadline) throw new Error(`${program.id} was not deployed:\n${runtime.stderr()}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    stop: async () => {
      await runtime.dispose()
      project.dispose()
    },
  }
})
