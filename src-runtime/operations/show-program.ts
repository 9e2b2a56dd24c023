// Projects, Programs and versions as the API shows them. Manifests are text that was checked when it was deployed.

import type { Program, Project, Version } from '../contract/models.ts'
import { toWire, withMember, type WireJson } from '../contract/wire-json.ts'
import type { ProgramRecord, ProjectRecord, VersionRecord } from '../ports/programs.ts'
import { iso } from './show-execution.ts'

export const showProject = (project: ProjectRecord): WireJson<Project> =>
  toWire({ id: project.id, name: project.name, isDefault: project.isDefault, createdAt: iso(project.createdAt) })

export const showVersion = (version: VersionRecord): WireJson<Version> =>
  withMember(
    toWire({
      id: version.id,
      programId: version.programId,
      number: version.number,
      digest: version.digest,
      origin: version.origin,
      hasEffects: version.hasEffects,
      runnable: version.runnable,
      createdAt: iso(version.createdAt),
    }),
    'manifest',
    version.manifest,
  ) as WireJson<Version>

export const showProgram = (program: ProgramRecord): WireJson<Program> =>
  withMember(
    toWire({
      id: program.id,
      projectId: program.projectId,
      description: program.description,
      runnable: program.runnable,
      createdAt: iso(program.createdAt),
      updatedAt: iso(program.updatedAt),
    }),
    'latestVersion',
    showVersion(program.latestVersion),
  ) as string as WireJson<Program>
