import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { isolated, stringsIn } from './isolated.tsx'

const drawn = (json: string): string => renderToStaticMarkup(isolated(stringsIn(json))).replaceAll('&quot;', '"')

it('keeps the names and texts of JSON from turning what is between them, where they are written from right to left', () => {
  expect(drawn('{"مفتاح":"قيمة","id":[7,"שלום')).toBe(
    '{<bdi>"مفتاح"</bdi>:<bdi>"قيمة"</bdi>,<bdi>"id"</bdi>:[7,<bdi>"שלום</bdi>',
  )
  expect(drawn('{"say \\"":"hi"}')).toBe('{"say \\"":"hi"}')
})

it('still draws hidden characters', () => {
  expect(drawn('{"שלום":"a\u202e"}')).toContain('data-escape')
})
