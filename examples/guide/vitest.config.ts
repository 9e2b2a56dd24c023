import { defineConfig } from 'vitest/config'
import { wes } from 'workflow-execution-service/testing'

export default defineConfig({
  // Effects that Programs call are answered by the fakes of each test.
  plugins: [wes()],
})
