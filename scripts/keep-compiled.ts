// Imported by the configurations of tests. Processes that tests start, such as effect hosts and the desktop app's, find compiled
// what an earlier one has compiled: without it, compiling is half of an effect host's processor time.

import { join } from 'node:path'

process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/node-compile')
