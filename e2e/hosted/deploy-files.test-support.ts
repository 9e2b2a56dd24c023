// Reads the files of deploy/, and holds objects of Kubernetes against their schemas.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate as configMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as job } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as namespace } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace'
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { validate as secret } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Secret'
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as statefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet'
import { parse, parseAllDocuments } from 'yaml'

// Tests read files freely, and assert what matters.
// oxlint-disable-next-line typescript/no-explicit-any
export type Free = any

export const DEPLOY = join(import.meta.dirname, '../../deploy')
const KUBERNETES = join(DEPLOY, 'kubernetes')

export const readYaml = (path: string): Free => parse(readFileSync(path, 'utf8'), { merge: true, strict: true })

/** All objects of all files but the kustomization. */
export const readObjects = (): readonly Free[] =>
  readdirSync(KUBERNETES)
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(KUBERNETES, file), 'utf8')).map((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}`)
        return document.toJS()
      }),
    )

type Validate = {
  (data: unknown): boolean
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null
}

const SCHEMAS: Readonly<Record<string, Validate>> = {
  'v1 ConfigMap': configMap,
  'apps/v1 Deployment': deployment,
  'batch/v1 Job': job,
  'v1 Namespace': namespace,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
  'v1 Secret': secret,
  'v1 Service': service,
  'apps/v1 StatefulSet': statefulSet,
}

/** What is wrong with an object: members of a wrong type or value, and members that its schema does not know. */
export const faultsOf = (object: Free): readonly string[] => {
  const validate = SCHEMAS[`${object.apiVersion} ${object.kind}`]
  if (validate === undefined) return [`there is no schema for ${object.apiVersion} ${object.kind}`]
  const unread = new Set<string>()
  const isValid = validate(watched(object, '', unread))
  const faults = isValid ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${JSON.stringify(error)}`)
  return [...faults, ...[...unread].map((path) => `${path} is not known`)]
}

/** The schemas let unknown members pass. They read each member that they know, so what is not read is not known. */
const watched = (value: Free, path: string, unread: Set<string>): Free => {
  if (typeof value !== 'object' || value === null) return value
  const names = Object.keys(value)
  if (!Array.isArray(value)) for (const name of names) unread.add(`${path}/${name}`)
  const members = new Map(names.map((name) => [name, watched(value[name], `${path}/${name}`, unread)]))
  return new Proxy(value, {
    get: (target, name) => {
      if (typeof name !== 'string' || !members.has(name)) return Reflect.get(target, name)
      unread.delete(`${path}/${name}`)
      return members.get(name)
    },
  })
}
