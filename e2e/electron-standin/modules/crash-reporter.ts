import type { CrashReporter } from 'electron'
import { emulate } from '../emulate.ts'

const parameters = new Map<string, string>()

/** Reports nothing. */
export const crashReporter = emulate<CrashReporter>()('crashReporter', {
  start: ({ extra = {} }) => {
    for (const [name, value] of Object.entries(extra)) parameters.set(name, value)
  },
  addExtraParameter: (name, value) => void parameters.set(name, value),
  removeExtraParameter: (name) => void parameters.delete(name),
  getParameters: () => Object.fromEntries(parameters),
  getLastCrashReport: () => null,
  getUploadedReports: () => [],
  getUploadToServer: () => false,
})
