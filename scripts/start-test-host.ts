// Set up before each test file: the Program hosts that its process starts are those that test-host.ts has built.

import { fork } from 'node:child_process'
import { join } from 'node:path'
import { nodeFork } from '../src-runtime/shared/fork.ts'

const SOURCE = join(import.meta.dirname, '../src-runtime/sandbox/host-main.ts')
const folder = process.env['WES_TEST_HOST'] ?? ''

nodeFork.start = (file, args, options) =>
  file === SOURCE
    ? fork(join(folder, 'host-main.cjs'), args, {
        ...options,
        execArgv: [...(options.execArgv ?? []), `--allow-fs-read=${join(folder, '/')}`],
      })
    : fork(file, args, options)
