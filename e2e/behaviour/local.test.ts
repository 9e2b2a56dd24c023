import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'

behaviourSuite('a local runtime', { home: 'local', runsUploadedEffects: false }, async () => {
  const runtime = await startRuntimeProcess()
  return {
    get url() {
      return runtime.url()
    },
    headers: {},
    restart: async () => {
      await runtime.kill()
      await runtime.start()
    },
    stop: runtime.dispose,
  }
})
