// `ready` comes after the entry has settled, so this waits for ever.

import { app } from 'electron'

await app.whenReady()
