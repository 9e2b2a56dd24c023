// The programs that a host has been given, with their templates. Both are caches: whoever sent a program can send it
// again.

import type { Template } from './slot.ts'
import { createStackMapper, type StackMapper } from './stack-trace.ts'

export type Program = {
  readonly code: string
  readonly stacks: StackMapper
  readonly bytes: number
  template: Template | undefined
}

export type ProgramShelf = {
  add(versionId: string, code: string, sourceMap: string): void
  get(versionId: string): Program | undefined
  /** Keeps a template with its program; templates unused for long go. */
  keepTemplate(program: Program, template: Template): void
}

export const createProgramShelf = (
  limits: { readonly programBytes: number; readonly templateBytes: number },
  onTemplateDropped: (template: Template) => void,
): ProgramShelf => {
  // In the order of last use.
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
