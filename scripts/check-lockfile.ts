// Checks package-lock.json after `npm install`: every package has an integrity hash, no address of a registry, and the
// optional packages of every platform are listed, without which `npm ci` refuses the lockfile on that platform.
//
// npm leaves out a platform's package, or its hash, if the registry does not have the package yet. Choose a version
// whose platforms the registry has.

import { readFileSync } from 'node:fs'

type LockedPackage = {
  readonly version?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> }

/** One line for each error. */
export const lockfileFaults = ({ packages }: Lockfile): readonly string[] =>
  Object.entries(packages).flatMap(([location, entry]) => [
    ...entryFaults(location, entry),
    ...missingPlatforms(location, entry, packages),
  ])

const entryFaults = (location: string, { link, integrity, resolved }: LockedPackage): string[] => {
  // The root, the workspace's folders and links to them are our own packages.
  if (!location.includes('node_modules/') || link === true) return []
  return [
    ...(integrity === undefined ? [`${location} has no integrity hash`] : []),
    ...(resolved === undefined ? [] : [`${location} names an address: ${resolved}`]),
  ]
}

const missingPlatforms = (
  location: string,
  { optionalDependencies = {} }: LockedPackage,
  packages: Lockfile['packages'],
): string[] =>
  Object.entries(optionalDependencies)
    // npm resolves a range to a version that the registry has, so only an exact version can be missing.
    .filter(([, version]) => /^\d/.test(version))
    .filter(([name, version]) => !placesOf(location, name).some((place) => packages[place]?.version === version))
    .map(([name, version]) => `${location} lacks its optional package ${name}@${version}`)

/** The paths at which npm may have put a dependency. */
const placesOf = (location: string, name: string): readonly string[] => {
  const beside = location.slice(0, Math.max(0, location.lastIndexOf('node_modules/')))
  return [`${location}/node_modules/${name}`, `${beside}node_modules/${name}`, `node_modules/${name}`]
}

if (import.meta.main) {
  const faults = lockfileFaults(JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile)
  for (const fault of faults) console.error(fault)
  console.log(`package-lock.json: ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
