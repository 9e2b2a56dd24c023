// Says in words why the system could not read or write a file.

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'no such file'
    case 'EISDIR':
      return 'it is a folder, not a file'
    case 'EEXIST':
      return 'it is a file, not a folder'
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder'
    case 'EACCES':
    case 'EPERM':
      return 'permission denied'
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENOSPC':
      return 'no space is left on the disk'
    case 'ENAMETOOLONG':
      return 'the name is too long'
    case 'ELOOP':
      return 'its links form a circle'
    default:
      return error.message
  }
}
