// Project source as the rest of the runtime sees it: compiled Programs to deploy, and what to tell the author.

import type { SourceError } from './source-error.ts'

/** A compiled Program; see the contract's section on artifacts. */
export type SourceArtifact = {
  readonly format: 'wes.program/1'
  readonly id: string
  readonly description?: string
  readonly sdk: string
  readonly program: { readonly code: string; readonly sourceMap: string }
  readonly manifest: {
    readonly inputSchema?: SourceSchema
    readonly events?: readonly { readonly name: string; readonly payloadSchema?: SourceSchema }[]
    readonly effects?: readonly {
      readonly name: string
      /** As its author wrote it: durations are milliseconds or text. */
      readonly retry?: Readonly<Record<string, number | string>>
      readonly timeoutMs?: number
    }[]
  }
  readonly effects?: { readonly code: string; readonly sourceMap: string }
}

export type SourceSchema = boolean | Readonly<Record<string, unknown>>

export type CompiledProgram = {
  readonly id: string
  /** Of the module, relative to the project folder, with forward slashes. */
  readonly path: string
  readonly exportName: string
  /** Exported by the module, and declared in another one. */
  readonly isReexported: boolean
  readonly artifact: SourceArtifact
}

export type CompiledFile = {
  readonly path: string
  readonly programs: readonly CompiledProgram[]
  /** Programs whose id is known, and which did not compile. */
  readonly failedIds: readonly string[]
  readonly errors: readonly SourceError[]
  /** Every file that it was made of, itself included, as names: another stamp of one of them asks for another build. */
  readonly inputs: readonly string[]
}
