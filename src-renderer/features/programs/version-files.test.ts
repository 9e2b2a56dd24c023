import { describe, expect, it } from 'vitest'
import type { ProgramArtifact } from '#sdk/index.ts'
import { filesOf, pairsOf } from './version-files.ts'

const artifact = (code: string, sourceMap?: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id: 'p',
  program: { code, ...(sourceMap !== undefined && { sourceMap }) },
  manifest: { events: [{ name: 'go' }] },
})

describe('the files of a version', () => {
  it('are the author’s sources from the source map, without packages', () => {
    const map = JSON.stringify({
      sources: ['programs/p.ts', '../node_modules/zod/index.js', 'programs/none.ts'],
      sourcesContent: ['export default 1', 'zod', null],
    })
    expect(filesOf(artifact('compiled', map)).map((file) => file.name)).toEqual(['manifest.json', 'programs/p.ts'])
  })

  it.each([undefined, 'no json', '{}', '{"sources":[1],"sourcesContent":[2]}'])(
    'is the compiled code without a usable map: %s',
    (map) => expect(filesOf(artifact('compiled', map))[1]).toEqual({ name: 'program.js', text: 'compiled' }),
  )
})

describe('the changes between two versions', () => {
  it('pair files by name', () => {
    const before = [
      { name: 'a', text: '1' },
      { name: 'b', text: '1' },
      { name: 'gone', text: '1' },
    ]
    const after = [
      { name: 'a', text: '1' },
      { name: 'b', text: '2' },
      { name: 'new', text: '1' },
    ]
    expect(pairsOf(before, after).map(({ name, change }) => `${name} ${change}`)).toEqual([
      'a same',
      'b changed',
      'new added',
      'gone removed',
    ])
    expect(pairsOf(undefined, after).every(({ change }) => change === 'same')).toBe(true)
  })
})
