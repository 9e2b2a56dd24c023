// The order in which vitest begins test files: those that take longest first, so that at the end no worker is alone with
// one of them. By itself vitest knows how long a file takes only where it ran before, and begins short files last.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take more than about ten seconds, by the processor time that they take. */
export const LONGEST = [
  'e2e/behaviour/local.test.ts',
  'e2e/behaviour/hosted.test.ts',
  'e2e/crash/hosted-chaos.test.ts',
  'src-runtime/sandbox/program-hosts.test.ts',
  'src-hosted/effects/create-effect-runner.test.ts',
  'src-runtime/sandbox/attacks.test.ts',
  'e2e/hosted/roles.test.ts',
  'e2e/crash/kill-during-effects.test.ts',
  'src-hosted/boot/embedded-postgres.test.ts',
  'e2e/hosted/one-machine.test.ts',
  'src-hosted/visits/visits.test.ts',
  'e2e/file-names.test.ts',
  'scripts/start/main.test.ts',
  'examples/hosted-tour.test.ts',
  'src-cli/dev/dev.test.ts',
  'src-cli/build-command.test.ts',
  'e2e/crash/kill-under-load.test.ts',
  'e2e/hosted/deployed.test.ts',
  'e2e/behaviour/hosted-client.test.ts',
  'src-runtime/effects/blocked-host.test.ts',
  'e2e/hosted/kills.test.ts',
  'src-hosted/visits/stopping-worker.test.ts',
  'src-runtime/source/create-source.test.ts',
  'e2e/hosted/large-requests.test.ts',
  'e2e/behaviour/hosted-fixtures.test.ts',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank === -1 ? LONGEST.length : rank
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
