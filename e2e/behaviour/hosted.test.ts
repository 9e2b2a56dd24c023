// What the contract says, checked against `wes serve` as it really runs: its own PostgreSQL and Restate, callers with a token.

import { programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import type { ProgramWithEffects } from '#runtime/behaviour/service.test-support.ts'
import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { startServeProcess } from '../serve-process.test-support.ts'

const artifactOf = ({ id, body, effects }: ProgramWithEffects) => {
  const names = Object.keys(effects)
  const references = names.map((name) => `${name}: '${name}'`).join(', ')
  return {
    ...programOf(id, `const effects = { ${references} }; ${body}`),
    manifest: { effects: names.map((name) => ({ name })) },
    effects: { code: names.map((name) => `export const ${name} = ${effects[name]}`).join('\n') },
  }
}

behaviourSuite('wes serve', { home: 'hosted', runsUploadedEffects: true }, async () => {
  const service = await startServeProcess(['--unsafe-effects'])
  const headers = { authorization: `Bearer ${service.token}` }
  return {
    url: service.url,
    headers,
    deployWithEffects: async (program) => {
      const deployed = await fetch(`${service.url}/v1/programs/deploy`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(artifactOf(program)),
      })
      if (deployed.status !== 201) throw new Error(await deployed.text())
    },
    restart: async () => {
      await service.kill()
      await service.start()
    },
    stop: async () => void (await service.dispose()),
  }
})
