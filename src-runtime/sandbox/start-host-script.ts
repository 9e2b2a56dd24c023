// Where a Program host starts in a bundle of `wes`.

import { runHostScript } from './host-script.ts'

runHostScript(import.meta.dirname)
