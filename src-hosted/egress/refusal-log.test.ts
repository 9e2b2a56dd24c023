import { expect, it } from 'vitest'
import { createRefusalLog } from './refusal-log.ts'

const create = () => {
  const lines: string[] = []
  const log = createRefusalLog((name, message) => void lines.push(`${name}: ${message}`))
  const refuse = (workspaceId: string, name: string, times = 1): void => {
    for (let count = 0; count < times; count += 1) log.add({ workspaceId, name }, 'refused')
  }
  return { log, lines, refuse }
}

it('logs what is refused to one workspace, however much is refused to another one', () => {
  const { lines, refuse } = create()
  refuse('wsp_1', 'ver_1', 1_000)
  refuse('wsp_1', 'ver_2', 1_000)
  refuse('wsp_2', 'ver_3')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('ver_3: refused')
})

it('says after each minute how many it left out, and logs again', () => {
  const { log, lines, refuse } = create()
  refuse('wsp_1', 'ver_1', 25)
  refuse('wsp_2', 'ver_2', 20)
  lines.length = 0
  log.nextMinute()
  expect(lines).toEqual(['wsp_1: 5 more connections were refused in a minute'])
  refuse('wsp_1', 'ver_1')
  expect(lines.at(-1)).toBe('ver_1: refused')
  log.nextMinute()
  expect(lines).toHaveLength(2)
})
