// Checks the contract against any home: black-box tests over HTTP.

import { afterAll, beforeAll, describe } from 'vitest'
import { bodies } from './bodies.test-support.ts'
import { bulks } from './bulks.test-support.ts'
import { changes } from './changes.test-support.ts'
import { crashes } from './crashes.test-support.ts'
import { deleting } from './deleting.test-support.ts'
import { early } from './early.test-support.ts'
import { effects } from './effects.test-support.ts'
import { events } from './events.test-support.ts'
import { failures } from './failures.test-support.ts'
import { history } from './history.test-support.ts'
import { hostileExecutions } from './hostile-executions.test-support.ts'
import { idempotency } from './idempotency.test-support.ts'
import { lists } from './lists.test-support.ts'
import { nul } from './nul.test-support.ts'
import { order } from './order.test-support.ts'
import { overview } from './overview.test-support.ts'
import type { Bench, Part } from './part.test-support.ts'
import { programs } from './programs.test-support.ts'
import { projects } from './projects.test-support.ts'
import { queries } from './queries.test-support.ts'
import { results } from './results.test-support.ts'
import { sandbox } from './sandbox.test-support.ts'
import type { Features, MakeService, Service } from './service.test-support.ts'
import { starts } from './starts.test-support.ts'
import { talkTo } from './talk.test-support.ts'

/** By what each is about. */
const PARTS = {
  bodies,
  queries,
  projects,
  programs,
  starts,
  idempotency,
  events,
  results,
  history,
  order,
  'U+0000': nul,
  early,
  effects,
  sandbox,
  failures,
  lists,
  overview,
  deleting,
  bulks,
  changes,
  'hostile Executions': hostileExecutions,
  crashes,
} satisfies Readonly<Record<string, Part>>

const START_LIMIT_MS = 120_000

/** One service serves all parts; each uses Programs and projects of its own. `only`: these parts; absent: all. */
export const behaviourSuite = (
  name: string,
  features: Features,
  makeService: MakeService,
  only = Object.keys(PARTS) as readonly (keyof typeof PARTS)[],
): void => {
  describe.each([name])('%s', () => {
    let service: Service
    beforeAll(async () => {
      service = await makeService()
    }, START_LIMIT_MS)
    afterAll(() => service.stop(), START_LIMIT_MS)
    const restart = async () => {
      if (service.restart === undefined) throw new Error(`${name} cannot be restarted`)
      await service.restart()
    }
    const bench: Bench = { service: () => service, talk: talkTo(() => service), features, restart }
    describe.each(only)('%s', (about) => {
      PARTS[about](bench)
    })
  })
}
