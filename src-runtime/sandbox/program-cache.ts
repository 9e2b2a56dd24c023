// The Programs that a host holds, and their templates. The runtime can send a dropped Program again.

import type { Template } from './slot.ts'
import { createStackMapper, type StackMapper } from './stack-trace.ts'

export type Program = {
  readonly code: string
  readonly stacks: StackMapper
  readonly bytes: number
  template: Template | undefined
}

export type ProgramCache = {
  add(versionId: string, code: string, sourceMap: string): void
  get(versionId: string): Program | undefined
  /** Stores a Program's template, and drops the least recently used ones. */
  keepTemplate(program: Program, template: Template): void
}

export const createProgramCache = (
  limits: { readonly programBytes: number; readonly templateBytes: number },
  onTemplateDropped: (template: Template) => void,
): ProgramCache => {
  // Least recently used first.
  const programs = new Map<string, Program>()
  let programBytes = 0
  let templateBytes = 0

  const dropTemplate = (program: Program): void => {
    const { template } = program
    if (template === undefined) return
    program.template = undefined
    templateBytes -= template.memory.bytes.length
    onTemplateDropped(template)
  }

  const drop = (versionId: string, program: Program): void => {
    dropTemplate(program)
    programs.delete(versionId)
    programBytes -= program.bytes
  }

  return {
    add: (versionId, code, sourceMap) => {
      if (programs.has(versionId)) return
      const bytes = 2 * (code.length + sourceMap.length)
      programs.set(versionId, { code, stacks: createStackMapper(sourceMap), bytes, template: undefined })
      programBytes += bytes
      for (const [oldest, program] of programs) {
        if (programBytes <= limits.programBytes || oldest === versionId) return
        drop(oldest, program)
      }
    },
    get: (versionId) => {
      const program = programs.get(versionId)
      if (program === undefined) return undefined
      programs.delete(versionId)
      programs.set(versionId, program)
      return program
    },
    keepTemplate: (program, template) => {
      program.template = template
      templateBytes += template.memory.bytes.length
      for (const oldest of programs.values()) {
        if (templateBytes <= limits.templateBytes || oldest === program) return
        dropTemplate(oldest)
      }
    },
  }
}
