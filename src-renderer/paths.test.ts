import { expect, it } from 'vitest'
import { paths } from './paths.ts'

it('builds every address of the dashboard', () => {
  expect({
    executions: paths.executions(),
    filtered: paths.executions({ status: ['failed', 'cancelled'], q: 'a b', programId: undefined }),
    execution: paths.execution('exe_1'),
    tab: paths.execution('exe_1', { tab: 'history', entry: 7 }),
    hostile: paths.execution('../x?y#z'),
    programs: paths.programs(),
    program: paths.program('order', { tab: 'start', version: 2 }),
    version: paths.programVersion('order', 3, { against: 2 }),
    waiting: paths.waiting(),
    errors: paths.errors(),
    metrics: paths.metrics({ from: '2026-01-01' }),
    settings: paths.settings(),
    projects: paths.projects(),
  }).toMatchInlineSnapshot(`
    {
      "errors": "/errors",
      "execution": "/executions/exe_1",
      "executions": "/executions",
      "filtered": "/executions?status=failed&status=cancelled&q=a+b",
      "hostile": "/executions/..%2Fx%3Fy%23z",
      "metrics": "/metrics?from=2026-01-01",
      "program": "/programs/order?tab=start&version=2",
      "programs": "/programs",
      "projects": "/projects",
      "settings": "/settings",
      "tab": "/executions/exe_1?tab=history&entry=7",
      "version": "/programs/order/versions/3?against=2",
      "waiting": "/waiting",
    }
  `)
})
