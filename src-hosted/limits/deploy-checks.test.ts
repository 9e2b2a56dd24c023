import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createDeployChecks } from './deploy-checks.ts'

it('checks a hundred deploys of a workspace at once, refuses more until one has ended or could not be checked, goes on with others, and takes a stop for no fault', async () => {
  const logged: string[] = []
  const stopped = new AbortController()
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) })
  const checkDeploy = createDeployChecks(log, stopped.signal)
  const ends: ((error?: Error) => void)[] = []
  const check = (workspaceId: string): Promise<void> =>
    checkDeploy(
      workspaceId,
      () =>
        new Promise<void>((resolve, reject) => {
          ends.push((error) => (error === undefined ? resolve() : reject(error)))
        }),
    )
  const first = Array.from({ length: 100 }, () => check('wsp_1'))
  const refused = { code: 'rate_limited', headers: { 'retry-after': '1' } }
  await expect(check('wsp_1')).rejects.toMatchObject(refused)
  const other = check('wsp_2')
  expect(ends).toHaveLength(101)

  ends[0]!()
  await first[0]
  ends[1]!(new Error('no process'))
  await expect(first[1]).rejects.toMatchObject({ code: 'unavailable', status: 503, headers: { 'retry-after': '1' } })
  const next = [check('wsp_1'), check('wsp_1')]
  await expect(check('wsp_1')).rejects.toMatchObject(refused)
  for (const end of ends) end()
  await Promise.all([...first.slice(2), ...next, other])
  expect(logged).toEqual(['a deploy could not be checked'])

  const last = check('wsp_1')
  stopped.abort()
  ends.at(-1)!(new Error('the Program hosts are stopped'))
  await expect(last).rejects.toMatchObject({ code: 'unavailable' })
  expect(logged).toHaveLength(1)
})
