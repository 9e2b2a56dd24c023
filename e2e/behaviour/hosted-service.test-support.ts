// A hosted service for the behaviour suite, as one process or as several.

import { join } from 'node:path'
import { programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import type { ProgramWithEffects, Service } from '#runtime/behaviour/service.test-support.ts'

/** For `wes serve`: the suite sends more requests than a token may by default. */
export const MANY_REQUESTS = ['--limits', join(import.meta.dirname, 'many-requests.json')]

export const hostedService = (
  { url, token }: { readonly url: string; readonly token: string },
  ends: Required<Pick<Service, 'restart' | 'stop'>>,
): Service => {
  const headers = { authorization: `Bearer ${token}` }
  return {
    url,
    headers,
    ...ends,
    deployWithEffects: async (program) => {
      const deployed = await fetch(`${url}/v1/programs/deploy`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(artifactOf(program)),
      })
      if (deployed.status !== 201) throw new Error(await deployed.text())
    },
  }
}

const artifactOf = ({ id, body, effects }: ProgramWithEffects) => {
  const names = Object.keys(effects)
  const references = names.map((name) => `${name}: '${name}'`).join(', ')
  return {
    ...programOf(id, `const effects = { ${references} }; ${body}`),
    manifest: { effects: names.map((name) => ({ name })) },
    effects: { code: names.map((name) => `export const ${name} = ${effects[name]}`).join('\n') },
  }
}
