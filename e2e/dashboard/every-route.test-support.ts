// All screens of the dashboard, with data and empty, and what each must show.

import type { Locator, Page } from '@playwright/test'
import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'
import { createClient } from '../../src-sdk/create-client.ts'
import { expect } from './fixtures.ts'

export type Screen = {
  /** The name of its test and its screenshots. */
  readonly name: string
  readonly path: string
  /** The beginning of the document's title. */
  readonly title: string
  /** Visible when the screen has loaded. */
  readonly ready: (page: Page) => Locator
  /** The main action, reached by Tab; undefined if there is none. */
  readonly action?: (page: Page) => Locator
  /** Expected console messages of the page. */
  readonly allowed?: RegExp
}

/** The ids of the data of `fillProject`. */
export type Filled = { readonly completed: string; readonly failed: string; readonly waiting: string }

const program = (id: string, code: string, manifest: ProgramArtifact['manifest'] = {}): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  description: `Does what a ${id.replaceAll('-', ' ')} does, and waits for nobody but those who have to agree`,
  program: { code: `({ run: async (ctx, input) => {\n${code}\n} })` },
  manifest,
})

const ORDER: ProgramArtifact['manifest'] = {
  inputSchema: {
    type: 'object',
    properties: { orderId: { type: 'string' }, cents: { type: 'integer', minimum: 1 }, gift: { type: 'boolean' } },
    required: ['orderId', 'cents'],
  },
  events: [{ name: 'approved', payloadSchema: { type: 'object', properties: { by: { type: 'string' } } } }],
}

const VERSIONS: readonly ProgramArtifact[] = [
  program(
    'order-approval',
    "ctx.log.info('order ' + input.orderId)\nreturn { by: (await ctx.waitForEvent('approved')).by }",
  ),
  program(
    'order-approval',
    `ctx.log.info('order ' + input.orderId)
if (input.cents > 90_000) throw new RangeError('order ' + input.orderId + ' is over the limit of 900.00')
const { by } = await ctx.waitForEvent('approved', { timeout: '3 days' })
await ctx.sleep(5)
ctx.log.warn('charged ' + input.cents)
return { orderId: input.orderId, by, paidCents: input.cents }`,
    ORDER,
  ),
  program('nightly-report', "await ctx.sleep('8h')\nreturn {}"),
  program('a-program-with-quite-a-long-name-that-somebody-really-chose', 'return input'),
]

/** Creates Executions of each kind in a project. */
export const fillProject = async (url: string, projectId: string): Promise<Filled> => {
  const client = createClient({ url, projectId })
  for (const version of VERSIONS) await client.deployProgram(version)
  const start = async (programId: string, input: unknown) => (await client.start(programId, input)).id
  const completed = await start('order-approval', { orderId: 'A-1', cents: 4_900 })
  await client.sendEvent(completed, 'approved', { by: 'grace' })
  const cancelled = await start('order-approval', { orderId: 'A-2', cents: 1_200 })
  await client.cancelExecution(cancelled)
  await start('nightly-report', {})
  await start('a-program-with-quite-a-long-name-that-somebody-really-chose', { text: 'x' })
  const failed = await start('order-approval', { orderId: 'A-3', cents: 99_000 })
  await start('order-approval', { orderId: 'A-4', cents: 120_000 })
  const waiting = await start('order-approval', { orderId: 'A-5', cents: 2_500 })
  for (const [id, status] of [
    [completed, 'completed'],
    [failed, 'failed'],
    [cancelled, 'cancelled'],
    [waiting, 'waiting'],
  ] as const) {
    await expect.poll(async () => (await client.getExecution(id)).status).toBe(status)
  }
  return { completed, failed, waiting }
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('main').getByRole('heading', { name }).first()
const button = (name: string) => (page: Page) => page.getByRole('main').getByRole('button', { name }).first()
const link = (name: string | RegExp) => (page: Page) => page.getByRole('main').getByRole('link', { name }).first()
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name })
const table = (name: string) => (page: Page) => page.getByRole('table', { name }).getByRole('row').nth(1)
const grid = (name: string) => (page: Page) => page.getByRole('grid', { name }).getByRole('row').nth(1)

const ORDERS = '/programs/order-approval'

export const filledScreens = ({ completed, failed, waiting }: Filled): readonly Screen[] => [
  {
    name: 'executions',
    path: '/executions',
    title: 'Executions',
    ready: grid('Executions'),
    action: button('Start execution'),
  },
  {
    name: 'executions-no-match',
    path: '/executions?q=nothing-is-called-that',
    title: 'Executions',
    ready: heading(/match/),
    action: button('Clear'),
  },
  ...(['timeline', 'history', 'data', 'logs'] as const).map((name) => ({
    name: `execution-${name}`,
    path: `/executions/${completed}?tab=${name}`,
    title: completed,
    ready: tab(`${name[0]!.toUpperCase()}${name.slice(1)}`),
    action: button('Run again'),
  })),
  {
    name: 'execution-failed-history',
    path: `/executions/${failed}?tab=history`,
    title: failed,
    ready: (page) => page.getByRole('region', { name: 'Error' }),
    action: button('Run again'),
  },
  {
    name: 'execution-waiting-timeline',
    path: `/executions/${waiting}`,
    title: waiting,
    ready: (page) => page.getByRole('region', { name: 'Waiting for' }),
    action: button('Send event'),
  },
  {
    name: 'execution-missing',
    path: '/executions/exe_nowhere',
    title: 'exe_nowhere',
    ready: heading('Execution not found'),
    action: link('Go to Executions'),
    allowed: /404/,
  },
  {
    name: 'programs',
    path: '/programs',
    title: 'Programs',
    ready: table('Programs'),
    action: link('order-approval'),
  },
  {
    name: 'program-versions',
    path: ORDERS,
    title: 'order-approval',
    ready: table('Versions'),
    action: button('Start execution'),
  },
  {
    name: 'program-start',
    path: `${ORDERS}?tab=start`,
    title: 'order-approval',
    ready: tab('Start'),
    action: button('Start execution'),
  },
  {
    name: 'program-executions',
    path: `${ORDERS}?tab=executions`,
    title: 'order-approval',
    ready: grid('Executions'),
    action: button('Start execution'),
  },
  {
    name: 'version',
    path: `${ORDERS}/versions/2`,
    title: 'order-approval v2',
    ready: heading(/order-approval/),
    action: (page) => page.getByRole('button', { name: 'Comparison' }),
  },
  {
    name: 'version-against',
    path: `${ORDERS}/versions/2?against=1`,
    title: 'order-approval v2',
    ready: button('manifest.json'),
    action: (page) => page.getByRole('button', { name: 'Comparison' }),
  },
  { name: 'waiting', path: '/waiting', title: 'Waiting', ready: table('Waiting'), action: link('approved') },
  { name: 'errors', path: '/errors', title: 'Errors', ready: table('Errors'), action: link(/is over the limit/) },
  {
    name: 'metrics',
    path: '/metrics?span=15m',
    title: 'Metrics',
    ready: (page) => page.getByRole('img', { name: /started/ }).first(),
    action: (page) => page.getByRole('button', { name: 'Program: ' }),
  },
  {
    name: 'settings',
    path: '/settings',
    title: 'Settings',
    ready: heading('Settings'),
    action: (page) => page.getByRole('combobox', { name: 'Theme' }),
  },
  { name: 'projects', path: '/projects', title: 'Projects', ready: table('Projects'), action: button('New project') },
  {
    name: 'nowhere',
    path: '/nowhere',
    title: 'Page not found',
    ready: heading('Page not found'),
    action: link('Go to Executions'),
  },
]

export const EMPTY_SCREENS: readonly Screen[] = [
  {
    name: 'executions-empty',
    path: '/executions',
    title: 'Executions',
    ready: heading(/No Programs/),
    action: button('Start execution'),
  },
  {
    name: 'programs-empty',
    path: '/programs',
    title: 'Programs',
    ready: heading(/No Programs/),
    action: button('Copy'),
  },
  {
    name: 'waiting-empty',
    path: '/waiting',
    title: 'Waiting',
    ready: heading('Nothing is waiting'),
  },
  {
    name: 'errors-empty',
    path: '/errors',
    title: 'Errors',
    ready: heading('No failures'),
  },
  {
    name: 'triggers-local',
    path: '/triggers',
    title: 'Triggers',
    ready: heading('Only on hosted services'),
  },
  {
    name: 'metrics-empty',
    path: '/metrics',
    title: 'Metrics',
    ready: heading('Metrics'),
    action: (page) => page.getByRole('button', { name: 'Program: ' }),
  },
]
