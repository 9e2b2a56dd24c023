import { test } from '@playwright/test'
import { install } from './installation.ts'

test('the desktop app is packaged and installed', () => {
  test.setTimeout(120_000)
  install()
})
