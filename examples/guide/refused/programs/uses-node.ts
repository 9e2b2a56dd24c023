// What a Program must not do, each with the compiler's answer in refused.txt.
// #region program
import { defineProgram } from 'workflow-execution-service'
import { readFile } from 'node:fs/promises'

export default defineProgram({ id: 'uses-node' }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  const answer = await fetch('https://example.com/rate')
  const settings = await readFile('settings.json', 'utf8')
  return { rate: await answer.json(), settings, home: process.env['HOME'] }
})
// #endregion program
