// The animated picture: an order starts and waits for an approval; the runtime is killed and restarted; the approval is
// sent, and the order continues.

import type { Page } from '@playwright/test'
import type { DashboardRuntime } from '../../e2e/dashboard/dashboard-runtime.ts'
import type { Film } from './film.ts'

export const firstMinutes = async (page: Page, film: Film, runtime: DashboardRuntime): Promise<void> => {
  const main = page.getByRole('main')
  await page.goto(`${runtime.url}/executions`)
  await main.getByRole('grid').getByRole('row').nth(3).waitFor()
  await page.waitForTimeout(1_000)
  await film.hold(1_200)

  await film.click(main.getByRole('button', { name: 'Start execution' }))
  const start = page.getByRole('dialog', { name: 'Start execution' })
  const program = start.getByRole('combobox', { name: 'Program' })
  await program.waitFor()
  await film.hold(500)
  await film.click(program)
  await page.keyboard.press('ControlOrMeta+a')
  await film.type('order-app')
  await page
    .getByRole('option', { name: /order-approval/ })
    .first()
    .waitFor()
  await page.waitForTimeout(300)
  await film.hold(500)
  await page.keyboard.press('Enter')
  await start.getByLabel('orderId').waitFor()
  await film.click(start.getByLabel('orderId'))
  await film.type('A-1042')
  await film.click(start.getByLabel('cents'))
  await film.type('4900')
  await film.hold(500)
  await film.click(start.getByRole('button', { name: /^Start/ }).last())
  await start.waitFor({ state: 'hidden' })
  await main.getByRole('button', { name: 'Send event' }).waitFor()
  await page.waitForTimeout(700)
  await film.hold(1_800)

  await runtime.kill()
  await page.waitForTimeout(2_500)
  await film.hold(2_200)
  await runtime.start()
  await page.waitForTimeout(2_000)
  await film.hold(1_200)

  await film.click(main.getByRole('button', { name: 'Send event' }))
  const send = page.getByRole('dialog', { name: 'Send event' })
  await send.getByRole('textbox', { name: 'by' }).waitFor()
  await film.hold(500)
  await film.click(send.getByRole('textbox', { name: 'by' }))
  await film.type('Grace')
  await film.hold(400)
  await film.click(send.getByRole('button', { name: /^Send/ }).last())
  await send.waitFor({ state: 'hidden' })
  for (let look = 0; look < 4; look++) {
    await page.waitForTimeout(150)
    await film.hold(300)
  }
  await page.waitForTimeout(1_500)
  await film.hold(3_500)
}
