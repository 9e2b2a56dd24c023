// Checks package-lock.json after `npm install`: every package has an integrity hash, no address of a registry, and the
// optional packages of every platform are listed, without which `npm ci` refuses the lockfile on that platform.
//
// npm leaves a platform's package out, or writes it without a hash, when the registry does not hold it yet. Choose a
// version of the package whose platforms the registry holds.

import { readFileSync } from 'node:fs'

type LockedPackage = {
  readonly version?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> }

/** One line for each fault. */
export const lockfileFaults = ({ packages }: Lockfile): readonly string[] =>
  Object.entries(packages).flatMap(([location, entry]) => [
    ...entryFaults(location, entry),
    ...missingPlatforms(location, entry, packages),
  ])

const entryFaults = (location: string, { link, integrity, resolved }: LockedPackage): string[] => {
  // The root and the workspace's folders are our own; a link points to one of them.
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
    // npm resolves a range to a version that the registry holds, so only an exact version can be missing.
    .filter(([, version]) => /^\d/.test(version))
    .filter(([name, version]) => !placesOf(location, name).some((place) => packages[place]?.version === version))
    .map(([name, version]) => `${location} lacks its optional package ${name}@${version}`)

/** Where npm may have put what a package depends on. */
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
