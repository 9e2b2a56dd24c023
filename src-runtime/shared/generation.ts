// Which releases speak the same API: those of one major version, and before 1.0 those of one minor version.

/** Higher for a later generation; of all texts that are no version, the lowest. */
export const generationOf = (version: string): number => {
  const [, major = '0', minor = '0'] = /^(\d{1,6})\.(\d{1,6})/.exec(version) ?? []
  return Number(major) === 0 ? Number(minor) : Number(major) * FIRST_MAJOR
}

/** Above all minor versions. */
const FIRST_MAJOR = 1_000_000
