import { FileCode2, Upload } from 'lucide-react'
import type { ProgramVersion } from '#sdk/index.ts'
import { visible } from '../../ui/visible.tsx'

/** The origin of a version; `path` is its source file, if known. */
export const Origin = ({ version, path }: { readonly version: ProgramVersion; readonly path?: string | undefined }) => {
  const source = version.origin === 'source'
  const Icon = source ? FileCode2 : Upload
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle text-soft">
      <Icon size={13} className="shrink-0" />
      {source && path !== undefined ? <SourcePath path={path} /> : version.origin}
    </span>
  )
}

/** Where there is no room, its folders are cut first: they say less than the file's name. */
const SourcePath = ({ path }: { readonly path: string }) => {
  const nameAt = path.lastIndexOf('/') + 1
  return (
    <span title={path} className="flex min-w-0 font-mono text-xs">
      {nameAt > 0 && (
        <>
          <span className="min-w-[2ch] shrink-999 truncate">{visible(path.slice(0, nameAt - 1))}</span>/
        </>
      )}
      <span className="truncate">{visible(path.slice(nameAt))}</span>
    </span>
  )
}
