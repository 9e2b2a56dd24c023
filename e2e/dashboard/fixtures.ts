// The dashboard in Chromium with a real `wes dev`. A test fails if its pages write an error or a warning to the console,
// throw, violate their CSP or call another origin, unless the test allows that.

import { test as base, expect, type BrowserContext, type Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Program, ProgramArtifact } from '../../src-sdk/contract-types.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { type DashboardRuntime, startDashboardRuntime } from './dashboard-runtime.ts'
import { takeInSizes } from './take-screenshots.ts'
import { type Complaint, watchPages } from './watch-pages.ts'

export { expect }

type WorkerFixtures = {
  /** Shared by all tests of a worker, with data of other tests. Never stop it. */
  readonly runtime: DashboardRuntime
}

type TestFixtures = {
  /** Of `runtime`. */
  readonly client: ServiceClient
  /** To `runtime`. */
  readonly deploy: (artifact: ProgramArtifact) => Promise<Program>
  /** An empty one for this test: may be stopped, killed and started again on the same port. */
  readonly freshRuntime: DashboardRuntime
  /** Allows matching complaints: a 404 that the test provokes, requests without a server. */
  readonly allow: (complaint: RegExp) => void
  readonly complaints: ReturnType<typeof createComplaints>
}

const createComplaints = () => {
  const found: Complaint[] = []
  const allowed: RegExp[] = []
  const origins = new Set<string>()
  let over = false
  return {
    allow: (pattern: RegExp): void => void allowed.push(pattern),
    own: (origin: string): void => void origins.add(origin),
    watch: (context: BrowserContext): Promise<void> =>
      watchPages(context, origins, (one) => {
        if (!over) found.push(one)
      }),
    /** Complaints of open pages when a runtime ends. */
    end: (): void => {
      over = true
    },
    unexpected: (): readonly Complaint[] => found.filter((one) => !allowed.some((pattern) => pattern.test(one))),
  }
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  runtime: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, provide) => {
      const runtime = await startDashboardRuntime()
      await provide(runtime)
      await runtime.dispose()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ runtime }, provide) => provide(runtime.url),
  client: async ({ runtime }, provide) => provide(runtime.client),
  deploy: async ({ runtime }, provide) => provide((artifact) => runtime.client.deployProgram(artifact)),
  complaints: [
    async ({ context, runtime }, provide) => {
      const complaints = createComplaints()
      complaints.own(new URL(runtime.url).origin)
      await complaints.watch(context)
      await provide(complaints)
      // A page may send a request just then, whose handler would fail the test.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      expect(complaints.unexpected(), 'what the pages complained about').toEqual([])
    },
    { auto: true },
  ],
  allow: async ({ complaints }, provide) => provide(complaints.allow),
  freshRuntime: async ({ complaints }, provide) => {
    const runtime = await startDashboardRuntime()
    complaints.own(new URL(runtime.url).origin)
    await provide(runtime)
    complaints.end()
    await runtime.dispose()
  },
})

/**
 * For `beforeEach` of tests that intercept requests of a page that is open already. Chromium does not wait until its network
 * knows of the first interception, so a request right after it may pass.
 */
export const interceptFromTheStart = async ({ page }: { readonly page: Page }): Promise<void> => {
  await page.route('**/is-never-asked-for', (route) => route.abort())
}

declare global {
  /** In pages in which `axe` has run. */
  var axe: { run(context: Document, options: RunOptions): Promise<AxeResults> } | undefined
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']
const VIOLATIONS: RunOptions = { runOnly: WCAG_22_AA, resultTypes: ['violations'] }

/**
 * Fails if the current page violates a rule of WCAG 2.2 AA that axe can check.
 *
 * A document gets axe once: reading its source takes about as long as a run. Runs it in the page alone, which has no frames.
 */
export const axe = async (page: Page): Promise<void> => {
  expect(page.frames(), 'frames, which axe would leave out').toHaveLength(1)
  if (await page.evaluate(() => globalThis.axe === undefined)) await page.evaluate(AXE)
  const told = await page.evaluate(async (options) => {
    const { violations } = await globalThis.axe!.run(document, options)
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    )
  }, VIOLATIONS)
  expect(told, 'what axe finds').toEqual([])
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]

/** Takes screenshots of the page: `e2e/screenshots/NAME-WIDTHxHEIGHT-light.png` and three more. */
export const takeScreenshots = (page: Page, name: string): Promise<void> =>
  takeInSizes(page, SIZES, ({ width, height }) => `${name}-${width}x${height}`)
