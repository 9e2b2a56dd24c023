import { expect, it } from 'vitest'
import { createDeployChecks } from './deploy-checks.ts'

it('checks a hundred deploys of a workspace at once, refuses more until one has ended, and goes on with other workspaces', async () => {
  const checkDeploy = createDeployChecks()
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
  ends[1]!(new Error('The program hosts are stopped'))
  await expect(first[1]).rejects.toThrow('stopped')
  const next = [check('wsp_1'), check('wsp_1')]
  await expect(check('wsp_1')).rejects.toMatchObject(refused)
  for (const end of ends) end()
  await Promise.all([...first.slice(2), ...next, other])
})
