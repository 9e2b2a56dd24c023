import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

describe('the five-minute tour', () => {
  it('runs to its end, and loses nothing when the runtime is killed', async () => {
    const { stdout } = await promisify(execFile)('bash', [join(import.meta.dirname, 'tour.sh')], { timeout: 110_000 })
    expect(stdout).toContain('deployed approval version 1')
    expect(stdout).toContain('"greeting": "Hello, Ada!"')
    expect(stdout).toContain('"by": "Grace"')
    expect(stdout).toMatch(/status {2}cancelled\nexit code 1/)
    for (const step of ['courier', 'stock', 'payment']) expect(stdout).toContain(`took back ${step}`)
    expect(stdout).toContain('"sent": 20')
    expect(stdout).toMatch(/the tour is complete\n$/)
  })
})
