// Set up before each test file: `vi.waitFor` and `vi.waitUntil` give up after a minute in place of a second, which is too
// short for slow machines.

import { vi } from 'vitest'

const { waitFor, waitUntil } = vi
const TIMEOUT_MS = 60_000

const withTimeout = <Options extends { readonly timeout?: number }>(options: number | Options | undefined) =>
  typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options }

vi.waitFor = (callback, options) => waitFor(callback, withTimeout(options))
vi.waitUntil = (callback, options) => waitUntil(callback, withTimeout(options))
