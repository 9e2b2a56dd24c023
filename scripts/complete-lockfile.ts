// Adds to package-lock.json the optional packages of other platforms that npm left out because the registry it asked
// did not hold them. `npm ci` refuses a lockfile without them on every machine, also where they are not wanted. They
// are written without integrity: a platform that wants one fetches that exact version and trusts its registry.
//
// Run after `npm install`; with --check it only says what is missing.

import { readFileSync, writeFileSync } from 'node:fs'

type LockedPackage = {
  readonly version?: string
  readonly dev?: boolean
  readonly license?: string
  readonly optional?: boolean
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly os?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Lockfile = { packages: Record<string, LockedPackage> }

/** `binding-linux-arm64-musl` says what package.json would: { os, cpu, libc? }. */
export const platformOf = (name: string) => {
  const [os = '', cpu = '', abi = ''] = (name.split('/').at(-1) ?? '').replace(/^binding-/, '').split('-')
  const libc = os !== 'linux' ? undefined : { gnu: ['glibc'], musl: ['musl'] }[abi]
  return { cpu: [cpu], libc, os: [os] }
}

const parentFolder = (location: string): string | undefined => {
  const cut = location.lastIndexOf('node_modules/')
  return cut === -1 ? undefined : location.slice(0, cut)
}

/** What every package's optional dependencies lack, by the place where npm would put it. */
export const missingFrom = ({ packages }: Lockfile): Readonly<Record<string, LockedPackage>> => {
  const missing: Record<string, LockedPackage> = {}
  for (const [location, { optionalDependencies = {}, dev, license }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const folder = parentFolder(location)
      const beside = `${folder ?? ''}node_modules/${name}`
      const places = [`${location}/node_modules/${name}`, beside, `node_modules/${name}`]
      if (places.some((place) => packages[place]?.version === version)) continue
      if (!/^\d/.test(version)) continue // a range: npm found a version that satisfies it, or none is known
      const { cpu, libc, os } = platformOf(name)
      // In npm's own order, so that its next run changes nothing.
      missing[beside] = {
        version,
        cpu,
        ...(dev && { dev }),
        ...(libc && { libc }),
        ...(license && { license }),
        optional: true,
        os,
      }
    }
  }
  return missing
}

if (import.meta.main) {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile
  const missing = missingFrom(lockfile)
  const names = Object.keys(missing)
  console.log(`package-lock.json: ${names.length} optional packages of other platforms missing`)
  if (process.argv.includes('--check')) {
    for (const name of names) console.error(`missing: ${name}`)
    process.exitCode = names.length === 0 ? 0 : 1
  } else if (names.length > 0) {
    const sorted = Object.entries({ ...lockfile.packages, ...missing }).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    writeFileSync(
      'package-lock.json',
      `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
    )
    console.log('added')
  }
}
