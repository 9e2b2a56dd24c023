// Project source as the rest of the runtime sees it: compiled Programs to deploy, and what to tell the author.

import type { Place, SourceError } from './source-error.ts'

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
  /** Of what it says of itself. */
  readonly place: Place
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
  /** It failed before all of its files were known: a change anywhere may heal it. */
  readonly isOpen: boolean
}

/** Where a version comes from. */
export type SourcePlace = {
  /** The project folder, absolute: its effects run there. */
  readonly folder: string
  /** Of the module, relative to the folder, with forward slashes. */
  readonly path: string
  /** Name or id of the project that `wes.config` names; the default one otherwise. */
  readonly project?: string
}

export type SourceDeployment =
  | {
      /** `unchanged`: the content equals the latest version, which is runnable (again) from now on. */
      readonly kind: 'created' | 'unchanged'
      readonly versionNumber: number
      /** Where the version before came from, if it was source of another folder. */
      readonly previousFolder?: string
    }
  /** The artifact cannot be used, and why: the author must change something. */
  | { readonly kind: 'refused'; readonly message: string }

/** What project source asks of the store. */
export type SourceVersions = {
  /** Stores a version with `origin: 'source'`, unless its content equals the latest one. */
  deploy(artifact: SourceArtifact, place: SourcePlace): Promise<SourceDeployment>
  /** Its module is gone. The Program and its Executions stay; new starts are refused until it is deployed again. */
  retire(programId: string, place: SourcePlace): Promise<void>
  /** Programs that were last deployed from a folder, by earlier runs too, and not retired since. */
  deployedFrom(folder: string): Promise<readonly { readonly programId: string; readonly path: string }[]>
}

export type SourceEvent =
  /** All that there was at the start has been looked at. `tookMs` ms. */
  | {
      readonly kind: 'ready'
      readonly folder: string
      readonly programs: number
      readonly failed: number
      readonly tookMs: number
    }
  /** Seen for the first time since the start. */
  | {
      readonly kind: 'discovered'
      readonly programId: string
      readonly path: string
      readonly versionNumber: number
      readonly isNew: boolean
    }
  /** A new version, `tookMs` ms after the change was noticed. */
  | {
      readonly kind: 'changed'
      readonly programId: string
      readonly path: string
      readonly versionNumber: number
      readonly tookMs: number
    }
  /** Saved, without another artifact. `wasFailing`: it did not compile before. */
  | {
      readonly kind: 'unchanged'
      readonly programId: string
      readonly path: string
      readonly versionNumber: number
      readonly wasFailing: boolean
    }
  | { readonly kind: 'failed'; readonly path: string; readonly errors: readonly SourceError[] }
  | { readonly kind: 'deleted'; readonly programId: string; readonly path: string }
  | { readonly kind: 'warning'; readonly message: string }

export type SourceStatus = {
  readonly folder: string
  readonly watching: boolean
  readonly programs: readonly { readonly id: string; readonly path: string }[]
  readonly errors: readonly SourceError[]
}

export type Source = {
  /** Settles once all that there is has been deployed or reported. */
  start(): Promise<void>
  status(): SourceStatus
  /** Answers a function that ends it. */
  onEvent(listener: (event: SourceEvent) => void): () => void
  /** Waits for what is under way. May be called twice. */
  stop(): Promise<void>
}
