import { expect, test } from '@playwright/test'
import { installedState, uninstall } from './installation.ts'

test('nothing in the folder of the installed app has changed', () => {
  const { before, now } = installedState()
  uninstall()
  expect(now).toEqual(before)
})
