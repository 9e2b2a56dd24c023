// The part of the table about projects, Programs and versions.

import { Type } from 'typebox'
import { DEPLOY_BODY_LIMIT_BYTES } from '../shared/deploy-limit.ts'
import { Artifact, NewProject, Program, ProgramList, Project, ProjectList, VersionList } from './models.ts'
import { bodyErrors, type OperationSpec } from './operation-spec.ts'
import { PAGE_BYTES } from './limits.ts'
import { pageQuery } from './queries.ts'

const programParams = Type.Object({ id: Type.String({ description: 'Id of the Program.' }) })
const versionParams = Type.Object({
  id: Type.String({ description: 'Id of the Program.' }),
  number: Type.String({ description: 'Number of the version.' }),
})

export const programOperations = {
  listProjects: {
    method: 'GET',
    path: '/v1/projects',
    tag: 'projects',
    summary: 'List projects',
    description: 'Oldest first, the default one before all others, in one page.',
    role: 'read',
    takesProject: false,
    answers: { 200: { description: 'All projects.', schema: ProjectList } },
    errors: [],
  },
  createProject: {
    method: 'POST',
    path: '/v1/projects',
    tag: 'projects',
    summary: 'Create a project',
    role: 'admin',
    takesProject: false,
    body: NewProject,
    answers: { 201: { description: 'The project was created.', schema: Project } },
    errors: ['project_exists', ...bodyErrors],
  },
  deployProgram: {
    method: 'POST',
    path: '/v1/programs/deploy',
    tag: 'programs',
    summary: 'Deploy a compiled Program',
    description:
      'Stores the artifact as a new version, unless its content is that of the latest version. A local runtime stores and versions an artifact with effects, and does not run it.',
    role: 'write',
    takesProject: true,
    body: Artifact,
    bodyLimitBytes: DEPLOY_BODY_LIMIT_BYTES,
    answers: {
      200: { description: 'The content is that of the latest version; nothing was stored.', schema: Program },
      201: { description: 'A new version was stored.', schema: Program },
    },
    errors: ['project_not_found', 'invalid_artifact', 'rate_limited', ...bodyErrors],
    hostedErrors: ['quota_exceeded'],
  },
  listPrograms: {
    method: 'GET',
    path: '/v1/programs',
    answerBytes: PAGE_BYTES,
    tag: 'programs',
    summary: 'List Programs',
    description: 'By id.',
    role: 'read',
    takesProject: true,
    query: Type.Object(pageQuery),
    answers: { 200: { description: 'A page of Programs.', schema: ProgramList } },
    errors: ['invalid_request', 'project_not_found'],
  },
  getProgram: {
    method: 'GET',
    path: '/v1/programs/:id',
    tag: 'programs',
    summary: 'Get a Program',
    role: 'read',
    takesProject: true,
    params: programParams,
    answers: { 200: { description: 'The Program.', schema: Program } },
    errors: ['project_not_found', 'program_not_found'],
  },
  listVersions: {
    method: 'GET',
    path: '/v1/programs/:id/versions',
    answerBytes: PAGE_BYTES,
    tag: 'programs',
    summary: 'List versions of a Program',
    description: 'Newest first.',
    role: 'read',
    takesProject: true,
    params: programParams,
    query: Type.Object(pageQuery),
    answers: { 200: { description: 'A page of versions.', schema: VersionList } },
    errors: ['invalid_request', 'project_not_found', 'program_not_found'],
  },
  getArtifact: {
    method: 'GET',
    path: '/v1/programs/:id/versions/:number/artifact',
    answerBytes: DEPLOY_BODY_LIMIT_BYTES,
    tag: 'programs',
    summary: "Get a version's artifact",
    description: '`format`, `id`, `program`, `manifest` (`{}` if it has none) and `effects`, without other members.',
    role: 'read',
    takesProject: true,
    params: versionParams,
    answers: { 200: { description: 'The compiled Program.', schema: Artifact } },
    errors: ['project_not_found', 'program_not_found', 'version_not_found'],
  },
  deleteVersion: {
    method: 'DELETE',
    path: '/v1/programs/:id/versions/:number',
    tag: 'programs',
    summary: 'Delete a version of a Program',
    description:
      'One that no Execution is on, ended ones included, and that is neither the newest nor the newest that can run. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: true,
    params: versionParams,
    answers: { 204: { description: 'The version was deleted.' } },
    errors: ['project_not_found', 'program_not_found', 'version_not_found', 'version_in_use', ...bodyErrors],
  },
} as const satisfies Record<string, OperationSpec>
