// Prints after desktop tests: the Electron, the skipped tests with reasons, and the measurements.

import type { FullConfig, FullResult, Reporter, Suite, TestCase } from '@playwright/test/reporter'
import { chooseEngine, type Engine } from './engine.ts'

const PROJECTS: ReadonlySet<string | undefined> = new Set(['desktop', 'package', 'standin'])

const ENGINES: Readonly<Record<Engine, string>> = {
  'stand-in': 'the stand-in, which is not Electron: e2e/electron-standin/README.md says what it cannot show',
  electron: 'real Electron',
}

class EngineReport implements Reporter {
  #suite: Suite | undefined

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite
  }

  onEnd(_result: FullResult): void {
    const tests = (this.#suite?.allTests() ?? []).filter((test) => PROJECTS.has(test.parent.project()?.name))
    if (tests.length > 0) console.log(describeRun(tests.map(toOutcome), chooseEngine()).join('\n'))
  }

  printsToStdio(): boolean {
    return false
  }
}

export type Outcome = {
  readonly kind: 'passed' | 'failed' | 'skipped'
  /** The reason of a skipped test. */
  readonly reason: string
  readonly measured: readonly string[]
}

const toOutcome = (test: TestCase): Outcome => {
  const outcome = test.outcome()
  const said = (type: string) =>
    [...test.annotations, ...test.results.flatMap(({ annotations }) => annotations)]
      .filter((annotation) => annotation.type === type)
      .map(({ description }) => description ?? '')
  return {
    kind: outcome === 'skipped' ? 'skipped' : outcome === 'unexpected' ? 'failed' : 'passed',
    reason: said('skip')[0] || said('fixme')[0] || 'no reason was given',
    measured: [...new Set(said('measured'))],
  }
}

export const describeRun = (outcomes: readonly Outcome[], engine: Engine): readonly string[] => {
  const count = (kind: Outcome['kind']) => outcomes.filter((one) => one.kind === kind).length
  const reasons = Map.groupBy(
    outcomes.filter(({ kind }) => kind === 'skipped'),
    ({ reason }) => reason,
  )
  return [
    '',
    `Desktop tests ran on ${ENGINES[engine]}`,
    `  ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
    ...[...reasons].map(([reason, skipped]) => `  skipped ${skipped.length}: ${reason}`),
    ...outcomes.flatMap(({ measured }) => measured).map((what) => `  measured: ${what}`),
  ]
}

// oxlint-disable-next-line import/no-default-export -- Playwright wants it
export default EngineReport
