// Prints at the end of vitest's output which tests passed only when CI ran them again. vitest itself does not name them all.

import type { Reporter, TestModule } from 'vitest/node'

export class RetryReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap(retriedIn)
    if (retried.length === 0) return
    console.log('\nPassed only when run again, so these tests or what they test may be faulty:')
    for (const line of retried) console.log(line)
  }
}

const retriedIn = (module: TestModule): readonly string[] =>
  [...module.children.allTests()].flatMap((test) => {
    const { flaky = false, retryCount = 0 } = test.diagnostic() ?? {}
    return flaky ? [`  ${module.relativeModuleId} > ${test.fullName} (failed ${retryCount}×)`] : []
  })
