import { expect, it } from 'vitest'
import { codeFrame } from './artifact-sources.ts'

const text = ['one', 'two', 'three', 'four', 'five', 'six'].join('\n')
const artifact = {
  program: {
    code: '',
    sourceMap: JSON.stringify({ sources: ['wes:sdk', 'programs/a.ts'], sourcesContent: [null, text] }),
  },
  effects: { code: '', sourceMap: JSON.stringify({ sources: ['programs/a.effects.ts'], sourcesContent: [text] }) },
}
const framed = (path: string, line: number) =>
  codeFrame(artifact, { path, line }).map((one) => `${one.number} ${one.text}${one.isPlace ? ' <' : ''}`)

it('shows five lines around a position, of the Program and of its effects', () => {
  expect(framed('programs/a.effects.ts', 4)).toEqual(['2 two', '3 three', '4 four <', '5 five', '6 six'])
  expect(framed('programs/a.ts', 1)).toEqual(['1 one <', '2 two', '3 three'])
  expect(framed('programs/a.ts', 6)).toEqual(['4 four', '5 five', '6 six <'])
})

it('shows nothing if the artifact does not contain the file', () => {
  expect([framed('programs/b.ts', 1), framed('programs/a.ts', 9)]).toEqual([[], []])
  expect(codeFrame({ program: { code: '', sourceMap: 'no map' } }, { path: 'a', line: 1 })).toEqual([])
})
