import { Link } from '@tanstack/react-router'
import { failureOf } from '../../api/failures.ts'
import { LINK, Nowhere } from '../../parts/nowhere.tsx'
import { paths } from '../../paths.ts'
import { visible } from '../../ui/visible.tsx'

export const isMissing = (error: unknown): boolean => error !== null && failureOf(error).kind === 'missing'

export const NoSuchProgram = ({ id }: { readonly id: string }) => (
  <Nowhere
    title="Program not found"
    way={
      <Link {...paths.programs()} activeOptions={{ exact: true }} className={LINK}>
        Go to Programs
      </Link>
    }
  >
    This project has no Program <span className="font-mono text-xs break-all">{visible(id)}</span>.
  </Nowhere>
)

export const NoSuchVersion = ({ id, number }: { readonly id: string; readonly number: number }) => (
  <Nowhere
    title="Version not found"
    way={
      <Link {...paths.program(id)} activeOptions={{ exact: true }} className={LINK}>
        Go to the versions of {visible(id)}
      </Link>
    }
  >
    Program <span className="font-mono text-xs break-all">{visible(id)}</span> has no version {number}. It may have been
    removed.
  </Nowhere>
)
