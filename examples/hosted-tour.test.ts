import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

describe('the tour of the hosted service', () => {
  it('runs to its end, and loses nothing when PostgreSQL, Restate and the service are killed', async () => {
    const { stdout } = await promisify(execFile)('bash', [join(import.meta.dirname, 'hosted-tour.sh')], {
      timeout: 590_000,
    })
    expect(stdout).toMatch(/\ntoken wes_\w+\n/)
    expect(stdout).toContain('deployed order-approval version 1')
    expect(stdout).toContain('"message":"charged 4200 cents with acme"')
    expect(stdout.match(/Hello, webhook!/g)).toHaveLength(3)
    expect(stdout).toContain('"sent": 20')
    expect(stdout).toMatch(/fired \d+ times since/)
    expect(stdout).toMatch(/the tour is complete\n$/)
  }, 600_000)
})
