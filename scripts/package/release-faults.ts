// What keeps packages from being released: an address that nobody reads. Packages to try out may have it.

type Configuration = { readonly linux?: { readonly maintainer?: string } }
type Package = { readonly homepage?: string }

/** Names that the standard keeps for nobody: RFC 2606. */
const PLACEHOLDER =
  /(?:^|[@./])(?:[^@/\s]+\.)?(?:invalid|example|test|localhost|example\.(?:com|net|org))(?=[>/:\s]|$)/i

const isRelease = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['GITHUB_REF']?.startsWith('refs/tags/v') === true

/** Sentences; empty if the packages may be made. */
export const releaseFaults = (
  { linux = {} }: Configuration,
  { homepage }: Package,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  if (!isRelease(env)) return []
  const { maintainer = '' } = linux
  return [
    ...(/<\S+@\S+>$/.test(maintainer) && !PLACEHOLDER.test(maintainer)
      ? []
      : [
          `A release needs somebody to write to: linux.maintainer in electron-builder.yml is ${JSON.stringify(maintainer)}. Replace it by a name and an address, "Ada <ada@your-domain>".`,
        ]),
    ...(homepage !== undefined && PLACEHOLDER.test(homepage)
      ? [`A release needs an address that exists: homepage in package.json is ${JSON.stringify(homepage)}.`]
      : []),
  ]
}
