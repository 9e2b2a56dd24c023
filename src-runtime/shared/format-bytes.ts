/** `512 B`, `1.5 MiB`. Never more than it is. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10))
  return `${(Math.floor((bytes / 1024 ** power) * 10) / 10).toString()} ${units[power - 1]}`
}
