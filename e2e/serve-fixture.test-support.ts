// A fixture of Playwright: servers of one test, which answer like a hosted service or as the test says.

import { type ScriptedService, startService } from '#runtime/connections/scripted-service.test-support.ts'

export type Serve = (...how: Parameters<typeof startService>) => Promise<ScriptedService>

// oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
export const serveFixture = async ({}, provide: (serve: Serve) => Promise<void>): Promise<void> => {
  const services: ScriptedService[] = []
  await provide(async (...how) => {
    const service = await startService(...how)
    services.push(service)
    return service
  })
  for (const service of services) await service.close()
}
