import type { Features, Service } from './service.test-support.ts'
import type { Talk } from './talk.test-support.ts'

/** What the tests of a part use. */
export type Bench = {
  readonly service: () => Service
  readonly talk: Talk
  readonly features: Features
  /** Kills the service and starts it again. */
  readonly restart: () => Promise<void>
}

/** Describes tests. */
export type Part = (bench: Bench) => void
