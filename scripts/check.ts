// `npm run check`: runs every check as its npm script, so that a failed one can be run alone. Continues after a failure,
// to show all failures in one run.

import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'

const STEPS = [
  { name: 'types', script: 'types' },
  { name: 'lint', script: 'lint' },
  { name: 'format', script: 'format:check' },
  { name: 'layers', script: 'layers' },
  { name: 'dead code', script: 'dead-code' },
  { name: 'package', script: 'package' },
  { name: 'tests', script: 'test:coverage' },
  { name: 'e2e', script: 'test:e2e' },
] as const

console.log(`Node ${process.version}`)
const startedAt = performance.now()
const failed: string[] = []
for (const step of STEPS) {
  const from = performance.now()
  const run = spawnSync('npm', ['run', '--silent', step.script], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const passed = run.status === 0
  console.log(`${passed ? 'pass' : 'FAIL'}  ${step.name.padEnd(10)} ${seconds(from)}`)
  if (passed) continue
  failed.push(step.name)
  console.log(`${run.stdout}${run.stderr}${run.error === undefined ? '' : String(run.error)}`.trimEnd())
  console.log(`      again: npm run ${step.script}`)
}
console.log(`${STEPS.length - failed.length} passed, ${failed.length} failed in ${seconds(startedAt)}`)
process.exitCode = failed.length === 0 ? 0 : 1

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`
}
