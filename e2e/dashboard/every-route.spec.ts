// Every screen, with data and empty: checks with axe in both themes, by keyboard, enlarged, and without console messages.
// Takes screenshots.

import type { Page } from '@playwright/test'
import { EMPTY_SCREENS, type Filled, filledScreens, fillProject, type Screen } from './every-route.test-support.ts'
import { chooseProject } from './executions-list.test-support.ts'
import { axe, expect, takeScreenshots, test } from './fixtures.ts'
import { takeScreenshot } from './take-screenshots.ts'

/** The viewport of a window of 1280 × 1024, enlarged to 400 %. */
const ENLARGED = { width: 320, height: 256 }
const USUAL = { width: 1280, height: 800 }

type Projects = { readonly filled: string; readonly empty: string; readonly made: Filled }

/** Shared by all tests of a worker. */
let projects: Promise<Projects> | undefined

test.beforeEach(async ({ runtime }) => {
  const make = async (): Promise<Projects> => {
    const { client } = runtime
    const filled = await client.createProject({ name: `every route ${process.pid}` })
    const empty = await client.createProject({ name: `no route ${process.pid}` })
    return { filled: filled.id, empty: empty.id, made: await fillProject(runtime.url, filled.id) }
  }
  projects ??= make()
  await projects
})

for (const [index, { name }] of filledScreens({ completed: '', failed: '', waiting: '' }).entries()) {
  test(`${name} is accessible`, async ({ page, allow }) => {
    const { filled, made } = await projects!
    await chooseProject(page, filled)
    await check(page, filledScreens(made)[index]!, allow)
  })
}

for (const screen of EMPTY_SCREENS) {
  test(`${screen.name} is accessible`, async ({ page, allow }) => {
    await chooseProject(page, (await projects!).empty)
    await check(page, screen, allow)
  })
}

const check = async (page: Page, screen: Screen, allow: (complaint: RegExp) => void): Promise<void> => {
  if (screen.allowed !== undefined) allow(screen.allowed)
  await page.setViewportSize(USUAL)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(screen.path)
  await expect(screen.ready(page)).toBeVisible()
  await checkOutline(page, screen)
  await checkStillness(page)
  await checkKeyboard(page, screen)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await axe(page)
  }
  await takeScreenshots(page, screen.name)
  await checkEnlarged(page, screen)
}

/**
 * Checks title, language, landmarks, the single main heading, that no level of headings is left out, and that no link that leads
 * elsewhere is marked as the current page.
 */
const checkOutline = async (page: Page, { title }: Screen): Promise<void> => {
  expect(await page.title()).toMatch(new RegExp(`^${title} – .*Workflow Execution Service$`))
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(page.getByRole('main')).toHaveCount(1)
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  const connection = page.getByRole('banner').getByRole('status', { name: 'Connection', exact: true })
  await expect(connection).toBeVisible()
  const levels = await page
    .getByRole('heading')
    .evaluateAll((all) => all.map(({ tagName }) => Number(tagName.slice(1))))
  const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)
  expect(skipped, 'headings below a level that is left out').toEqual([])
  const elsewhere = await page
    .getByRole('main')
    .locator('a[aria-current]')
    .evaluateAll((all) =>
      all.map((one) => (one as HTMLAnchorElement).pathname).filter((to) => to !== location.pathname),
    )
  expect(elsewhere, 'links that are marked as the current page').toEqual([])
}

/** Checks that nothing moves with reduced motion. */
const checkStillness = async (page: Page): Promise<void> => {
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().endTime ?? 0) > 20)
      .map((animation) => `${animation.id} ${String(animation.effect?.getComputedTiming().endTime)}`),
  )
  expect(moving, 'what moves').toEqual([])
}

const MOST_TABS = 60

/** Checks that Tab leads from the top to the main action, with a visible focus at each step. */
const checkKeyboard = async (page: Page, { action }: Screen): Promise<void> => {
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeInViewport()
  await page.keyboard.press('Enter')
  if (action === undefined) return
  const target = action(page)
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(focusIsSeen), 'the focus is seen').toBe('seen')
    if (await target.evaluate((element) => element.contains(document.activeElement))) return
  }
  throw new Error(`Tab did not reach the main action in ${MOST_TABS} steps`)
}

const focusIsSeen = (): string => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return 'nothing has the focus'
  const { width, height } = element.getBoundingClientRect()
  const told = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`
  if (width === 0 || height === 0) return `${told} has no size`
  const above = (one: Element): Element | null =>
    one.parentElement ?? (one.getRootNode() instanceof ShadowRoot ? (one.getRootNode() as ShadowRoot).host : null)
  // A row may show the focus of its link, and an editor's frame the focus of its text.
  for (let one: Element | null = element; one !== null; one = above(one)) {
    for (const part of [undefined, '::after']) {
      const { outlineStyle, outlineWidth } = getComputedStyle(one, part)
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) return 'seen'
    }
  }
  return `${told} shows no focus`
}

/** Checks at 400 % that nothing is missing, that only tables, code and drawings scroll sideways, and no document within the page. */
const checkEnlarged = async (page: Page, screen: Screen): Promise<void> => {
  await page.setViewportSize(ENLARGED)
  await expect(screen.ready(page)).toBeVisible()
  if (screen.action !== undefined) {
    const action = screen.action(page)
    await action.scrollIntoViewIfNeeded()
    await expect(action).toBeInViewport({ ratio: 0.6 })
  }
  expect(await page.evaluate(whatIsTooWide), 'what is wider than the screen').toEqual([])
  for (const document of await page.locator('.printed-whole').all()) {
    expect(await document.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  }
  await takeScreenshot(page, `${screen.name}-320`)
  await page.setViewportSize(USUAL)
}

const whatIsTooWide = (): readonly string[] => {
  const isExempt = (element: Element) =>
    element.closest('table, [role="grid"], pre, .cm-editor, [role="img"], canvas, [role="tree"]') !== null
  const told: string[] = []
  if (document.documentElement.scrollWidth > window.innerWidth) told.push('the page')
  for (const element of document.querySelectorAll('#root *')) {
    if (isExempt(element) || element.closest('.sr-only') !== null) continue
    const { right, left, width } = element.getBoundingClientRect()
    if (width === 0 || (right <= window.innerWidth + 1 && left >= -1)) continue
    told.push(
      `${element.tagName} ${element.className.toString().slice(0, 80)} ${Math.round(left)}–${Math.round(right)}`,
    )
  }
  return told.slice(0, 5)
}
