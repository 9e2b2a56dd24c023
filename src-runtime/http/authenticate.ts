// Who sends a request, and what a request needs to be allowed.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { roles, type Role } from '../contract/operation-spec.ts'
import type { Principal } from '../ports/principal.ts'
import { decoded, pathOf } from './paths.ts'
import { isRepeated, repeatedHeader } from './repeated-header.ts'

/** The error is the answer to a request whose caller is not known. */
export type Authenticate<Who extends Principal> = (request: FastifyRequest) => Who | ApiError | Promise<Who | ApiError>

/** The token of the `Authorization` header. The error: there are several, of which Node shows the first. */
export const bearerOf = ({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): string | ApiError | undefined => {
  if (headers.authorization === undefined) return undefined
  if (isRepeated(raw, 'authorization')) return repeatedHeader('authorization')
  return /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1]
}

declare module 'fastify' {
  // Fastify's own way to say what a route's `config` is.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface FastifyContextConfig {
    /** What the caller of this route must be allowed to do; `open`: nothing. When absent, it has to be known. */
    readonly role?: Role | 'open'
    /** Its name in the table of operations. */
    readonly operation?: string
    /** What its answer may take, where that is far more than one value. */
    readonly answerBytes?: number
  }
}

/**
 * What a request needs: of the route that the router chose, however the path was written; by its path where there is
 * no route, since pages and unknown paths outside the API hold nothing that is secret.
 */
export const neededRole = ({ is404, routeOptions, raw }: FastifyRequest): Role | 'open' => {
  if (!is404) return routeOptions.config.role ?? 'read'
  return isOfTheApi(raw.url) ? 'read' : 'open'
}

export const isOfTheApi = (url = ''): boolean => OF_THE_API.test(decoded(pathOf(url)))

const OF_THE_API = /^\/(?:v1|local|hosted)(?:\/|$)/

export const refuseRole = (needed: Role, has: Role): ApiError | undefined =>
  roles.indexOf(has) >= roles.indexOf(needed)
    ? undefined
    : new ApiError('forbidden', `This needs a token with the role "${needed}"; the role of this one is "${has}".`)
