import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

const PATHS = ['/home/ada/shop', "/home/ada/it's mine", '/a b/$HOME/`id`', '/back\\slash', '/größe#1']

describe('a path in a command', () => {
  it.skipIf(process.platform === 'win32').each(PATHS)('is what a POSIX shell makes of it: %s', (path) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(path, 'linux')}`], { encoding: 'utf8' })).toBe(path)
  })

  it('has double quotes on Windows, where cmd.exe knows no others', () => {
    const paths = ['C:\\shop', "C:\\it's mine", 'C:\\a b', 'C:\\a,b', '@in.json']
    expect(paths.map((path) => shellWord(path, 'win32'))).toEqual([
      ...['C:\\shop', `"C:\\it's mine"`, '"C:\\a b"'],
      ...['"C:\\a,b"', '"@in.json"'], // unquoted, a list and a variable in PowerShell
    ])
  })
})
