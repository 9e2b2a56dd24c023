import { expect, it } from 'vitest'
import { refusalText } from './desktop-refusal.ts'

it.each([
  [{ code: 'not_owned', message: 'It was started by another program.' }, 'It was started by another program.'],
  [new Error('no disk'), 'no disk'],
  ['as it is', 'as it is'],
  [null, 'null'],
])('reads %o', (error, text) => expect(refusalText(error)).toBe(text))
