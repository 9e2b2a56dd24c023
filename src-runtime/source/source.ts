// The interface of project source for the rest of the runtime: compiled Programs, and events for the author.

import type { Warnings } from './warnings.ts'
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
      /** As the author wrote it: durations are milliseconds or text. */
      readonly retry?: Readonly<Record<string, number | string>>
      readonly timeoutMs?: number
    }[]
  }
  readonly effects?: { readonly code: string; readonly sourceMap: string }
}

export type SourceSchema = boolean | Readonly<Record<string, unknown>>

export type CompiledProgram = {
  readonly id: string
  /** The module's path, relative to the project folder, with forward slashes. */
  readonly path: string
  readonly exportName: string
  /** The position of its options. */
  readonly place: Place
  /** Whether the definition is declared in another module. */
  readonly isReexported: boolean
  readonly warnings: Warnings
  readonly artifact: SourceArtifact
}

export type CompiledFile = {
  readonly path: string
  readonly programs: readonly CompiledProgram[]
  /** The ids of Programs that did not compile, if known. */
  readonly failedIds: readonly string[]
  readonly errors: readonly SourceError[]
  /** They count if it had Programs before: it does not name defineProgram, so it may only support Programs. */
  readonly doubts: readonly SourceError[]
  /** Of the module itself, beside those of its Programs. */
  readonly warnings: readonly SourceError[]
  /** The names of all files that it was built from. It is built again when one of them changes. */
  readonly inputs: readonly string[]
  /** It failed before all of its files were known, so any change may fix it. */
  readonly isOpen: boolean
}

/** The source of a version. */
export type SourcePlace = {
  /** The absolute path of the project folder, where the effects run. */
  readonly folder: string
  /** The module's path, relative to the folder, with forward slashes. */
  readonly path: string
  /** The name or id of the project in `wes.config`; else the default project. */
  readonly project?: string
}

export type SourceDeployment =
  | {
      /** `unchanged`: the content equals the latest version, which is now runnable. */
      readonly kind: 'created' | 'unchanged'
      readonly versionNumber: number
      readonly projectId: string
      /** The folder of the version before, if it was another one. */
      readonly previousFolder?: string
    }
  /** The artifact cannot be used; the author must change the source. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'no_project' }

export type DeployedProgram = { readonly projectId: string; readonly programId: string; readonly path: string }

/** The functions of the store that project source uses. */
export type SourceVersions = {
  /** Stores a version with `origin: 'source'`, unless its content equals the latest one. */
  deploy(artifact: SourceArtifact, place: SourcePlace): Promise<SourceDeployment>
  /** The module was deleted. The Program and its Executions stay; starts are refused until it is deployed again. */
  retire(projectId: string, programId: string): Promise<void>
  /** The Programs last deployed from a folder, also by earlier runs, and not retired. */
  deployedFrom(folder: string): Promise<readonly DeployedProgram[]>
}

export type SourceEvent =
  /** The first scan has finished. */
  | {
      readonly kind: 'ready'
      readonly folder: string
      readonly programs: number
      /** The globs of Program modules. */
      readonly expectedIn: readonly string[]
      readonly failed: number
      readonly tookMs: number
    }
  /** Found for the first time since the start. */
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
  /** A save that did not change the artifact. `wasFailing`: it did not compile before. */
  | {
      readonly kind: 'unchanged'
      readonly programId: string
      readonly path: string
      readonly versionNumber: number
      readonly wasFailing: boolean
    }
  | { readonly kind: 'failed'; readonly path: string; readonly errors: readonly SourceError[] }
  /** The errors or warnings of a file without Programs have ended. */
  | { readonly kind: 'fixed'; readonly path: string }
  | { readonly kind: 'deleted'; readonly programId: string; readonly path: string }
  /** The project folder is gone, or is there again. */
  | { readonly kind: 'folder'; readonly folder: string; readonly isMissing: boolean }
  /** A scan has taken long, and is not over. */
  | { readonly kind: 'slow'; readonly folder: string }
  | { readonly kind: 'warning'; readonly message: string }

export type SourceStatus = {
  readonly folder: string
  readonly watching: boolean
  /** There was no such folder at the last scan. */
  readonly isMissing: boolean
  /** It is being read for the first time, so more Programs may come. */
  readonly isReading: boolean
  /** The name or id of the project that its Programs belong to; undefined until its config has been read. */
  readonly project: string | undefined
  readonly programs: readonly { readonly id: string; readonly path: string }[]
  readonly errors: readonly SourceError[]
  /** Their messages may begin with no place. */
  readonly warnings: readonly SourceError[]
}

export type Source = {
  /** Settles once all files have been deployed or reported. */
  start(): Promise<void>
  /** Settles once that counts also for what `start` left to be evaluated in the background. */
  read(): Promise<void>
  status(): Omit<SourceStatus, 'isReading'>
  /** Returns a function that removes the listener. */
  onEvent(listener: (event: SourceEvent) => void): () => void
  /** Waits for running work. May be called twice. */
  stop(): Promise<void>
}
