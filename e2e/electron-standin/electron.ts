// The `electron` module of the main process.

import type * as Common from 'electron/common'
import type * as Main from 'electron/main'
import * as emulated from './emulated.ts'
import * as missing from './missing.ts'

type Member = keyof typeof Main | keyof typeof Common

const everything = { ...emulated, ...missing } satisfies Record<Member, unknown>

// oxlint-disable-next-line import/no-default-export -- Electron has one
export { everything as default, everything as 'module.exports' }
export * from './emulated.ts'
export * from './missing.ts'
