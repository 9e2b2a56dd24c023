import { describe, expect, it } from 'vitest'
import { readEnvFile } from './env-file.ts'

const set = (text: string) => Object.fromEntries(readEnvFile(text).set)

describe('a .env file', () => {
  // What `parseEnv` of Node.js 24 reads.
  it.each<[string, Readonly<Record<string, string>>]>([
    ['A=1', { A: '1' }],
    ['export A=1', { A: '1' }],
    ['export  A=1', { A: '1' }],
    ['exportA=1', { exportA: '1' }],
    [' A = 1 ', { A: '1' }],
    ['\tA=1 \t', { A: '1' }],
    ['A=', { A: '' }],
    ['A=\nB=1', { A: '', B: '1' }],
    ['A= # c\nB=2', { A: '', B: '2' }],
    ['A="a b" # c', { A: 'a b' }],
    ['A = "q" ', { A: 'q' }],
    ['A=a#b', { A: 'a' }],
    ['A=a # b', { A: 'a' }],
    ['A="#x"', { A: '#x' }],
    ["A='x\\ny'", { A: 'x\\ny' }],
    ['A="x\\ny"', { A: 'x\ny' }],
    ['A="x\\r\\ty"', { A: 'x\\r\\ty' }],
    ['A=x\\ny', { A: 'x\\ny' }],
    ['A="l1\nl2"\nB=2', { A: 'l1\nl2', B: '2' }],
    ['A="\r\nB=2"\r\nC=3', { A: '\nB=2', C: '3' }],
    ['A=`q"\'x`', { A: 'q"\'x' }],
    ["A=''", { A: '' }],
    ['A=" s "', { A: ' s ' }],
    ['#c\n\nA=1\r\nB=2', { A: '1', B: '2' }],
    ['A=1=2', { A: '1=2' }],
    ['A==x', { A: '=x' }],
    ['A=1\nA=2', { A: '2' }],
    ['', {}],
  ])('reads %j as Node.js does', (text, expected) => {
    expect(set(text)).toEqual(expected)
    expect(readEnvFile(text).faults).toEqual([])
  })

  it('reports the lines that it leaves out, without their values', () => {
    const text = [
      'GOOD=1',
      'hunter2-alone',
      'PATH=/hunter2',
      'A B=hunter2',
      'KEY="-----BEGIN',
      'hunter2',
      '-----END" # key',
      '9LIVES=hunter2',
      'QUOTED="a"hunter2"',
      'OPEN="hunter2',
    ].join('\n')
    const { set: found, faults } = readEnvFile(text)
    expect(Object.fromEntries(found)).toEqual({ GOOD: '1', KEY: '-----BEGIN\nhunter2\n-----END' })
    expect(faults).toEqual([
      { line: 2, text: 'is not NAME=value' },
      { line: 3, text: 'PATH: PATH and names that begin with NODE_, LD_, DYLD_ or WES_ cannot be set' },
      { line: 4, text: 'Before =: A name has only letters from A to Z, digits and _' },
      { line: 8, text: '9LIVES: A name cannot begin with a digit' },
      { line: 9, text: 'QUOTED: more follows after the closing "' },
      { line: 10, text: 'OPEN: the value has no closing "' },
    ])
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })

  it('warns of values that may not be what was meant', () => {
    const { warnings } = readEnvFile('A=pass#word\nB=x # comment\nA=2\nC=#\n')
    expect(warnings).toEqual([
      { line: 1, text: 'A ends at its #: put it into quotes if # belongs to it' },
      { line: 3, text: 'A is there twice: the last one counts' },
    ])
  })

  it('refuses values that are too long', () => {
    const { set: found, faults } = readEnvFile(`A=${'x'.repeat(33_000)}`)
    expect([found.size, faults]).toEqual([0, [{ line: 1, text: 'A: The value has more than 32 KiB' }]])
  })
})
