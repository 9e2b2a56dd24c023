// The Programs that a host holds, and their templates. The runtime can send a dropped Program again.

import type { Template } from './slot.ts'
import { createStackMapper, type StackMapper } from './stack-trace.ts'
import { createTenantCache } from './tenant-cache.ts'

export type Program = {
  readonly versionId: string
  readonly tenant: string
  readonly code: string
  readonly stacks: StackMapper
  readonly bytes: number
  template: Template | undefined
}

export type ProgramCache = {
  add(versionId: string, tenant: string, code: string, sourceMap: string): void
  get(versionId: string): Program | undefined
  /** Stores a Program's template, and drops others where there is no room. */
  keepTemplate(program: Program, template: Template): void
}

export const createProgramCache = (
  limits: { readonly programBytes: number; readonly templateBytes: number },
  onTemplateDropped: (template: Template) => void,
): ProgramCache => {
  const forgetTemplate = (program: Program): void => {
    const { template } = program
    if (template === undefined) return
    program.template = undefined
    onTemplateDropped(template)
  }

  const templates = createTenantCache<Program>(
    limits.templateBytes,
    ({ template }) => template?.memory.bytes.length ?? 0,
    forgetTemplate,
  )
  const programs = createTenantCache<Program>(
    limits.programBytes,
    ({ bytes }) => bytes,
    (program) => {
      templates.take(program.versionId)
      forgetTemplate(program)
    },
  )

  return {
    add: (versionId, tenant, code, sourceMap) => {
      if (programs.get(versionId) !== undefined) return
      const bytes = 2 * (code.length + sourceMap.length)
      const stacks = createStackMapper(sourceMap)
      programs.add(versionId, { versionId, tenant, code, stacks, bytes, template: undefined })
    },
    get: (versionId) => {
      templates.get(versionId)
      return programs.get(versionId)
    },
    keepTemplate: (program, template) => {
      program.template = template
      templates.add(program.versionId, program)
    },
  }
}
