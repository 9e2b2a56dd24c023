import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { rowsOf } from './json-tree.ts'
import { SelectedPart } from './json-selected-part.tsx'

it('keeps names that are written from right to left in the order of their path', () => {
  const row = rowsOf({ مسار: { عنصر: 1 } }, new Map()).at(-1)!
  const drawn = renderToStaticMarkup(createElement(SelectedPart, { row })).replaceAll('&quot;', '"')
  expect(drawn).toContain('$[<bdi>"مسار"</bdi>][<bdi>"عنصر"</bdi>]')
})
