import { expect, it } from 'vitest'
import { deployCommand, wordsOf } from './shell.ts'

it('tells the words of a command, of which each is shown on one line', () => {
  const target = { url: 'https://wes.test', projectId: "it's mine", needsToken: true }
  const words = wordsOf(deployCommand(target))
  expect(words.join(' ')).toBe(deployCommand(target))
  expect(words).toContain("SERVICE_TOKEN='<your token>'")
  expect(words.at(-1)).toMatch(/^--project-id=.*mine'?$/)
  expect(wordsOf("say 'unclosed text")).toEqual(['say', "'unclosed", 'text'])
})
