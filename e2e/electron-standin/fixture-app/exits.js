// Exits at an inconvenient moment.

import { app } from 'electron'

setTimeout(() => app.exit(5), Number(process.env.FIXTURE_EXIT_AFTER_MS))
