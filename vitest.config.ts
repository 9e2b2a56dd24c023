import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import './scripts/keep-compiled.ts'
import { LongestFirst } from './scripts/longest-first.ts'
import { RetryReport } from './scripts/report-retries.ts'
import './scripts/test-host.ts'
import { TOGETHER } from './scripts/together.ts'

export default defineConfig({
  test: {
    projects: [
      // A process per file: tests fork children and count what is left of them.
      {
        extends: true,
        test: { name: 'alone', include: ['{src-*,scripts,fixtures,examples,bench}/**/*.test.ts'], exclude: TOGETHER },
      },
      { extends: true, test: { name: 'e2e', include: ['e2e/**/*.test.ts'] } },
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
    ],
    // Projects with a vitest of their own, which examples/*.test.ts and src-cli/new/new-project.test.ts run.
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/{project,guide}/**', 'src-cli/new/template/**'],
    setupFiles: ['scripts/wait-longer.ts', 'scripts/start-test-host.ts'],
    // Real children, disks and sockets: machines of an eighth of the usual speed get time, and a hung test still ends.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    expect: { poll: { timeout: 60_000 } },
    // Some tests hold real processes to real time; a machine that pauses for a second is not their fault, once or twice.
    retry: process.env['CI'] === undefined ? 0 : 2,
    reporters: [...configDefaults.reporters, new RetryReport()],
    pool: 'forks',
    // Three even on two cores: much of a test's time is spent waiting for a child or the disk.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src-runtime/engine/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-support.ts'],
      reporter: ['text', 'json-summary'],
      // The engine alone decides what happens to an Execution, so every branch of it has a test.
      thresholds: { 'src-runtime/engine/**': { branches: 100, functions: 100 } },
    },
  },
})
