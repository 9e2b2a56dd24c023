import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { artifactFile, artifactIds, makeArtifact } from './make-artifacts.ts'

describe('the example artifacts', () => {
  it('are complete', () => {
    expect(artifactIds()).toEqual(['approval', 'hello', 'refund-saga', 'reminder-fanout'])
  })

  it.each(artifactIds())('%s is compiled from its source', (id) => {
    expect(readFileSync(artifactFile(id), 'utf8')).toBe(makeArtifact(id))
  })

  it.each(artifactIds())('%s evaluates to an object with run', (id) => {
    const { program } = JSON.parse(makeArtifact(id)) as { program: { code: string } }
    const value = runInNewContext(program.code) as { run: unknown }
    expect(typeof value.run).toBe('function')
  })
})
