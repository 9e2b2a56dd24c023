export const turnCompileCacheOn: (folder?: string) => void
export const runScript: (file: string, folder: string) => unknown
