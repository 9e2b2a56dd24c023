import { Link } from '@tanstack/react-router'
import { classNames } from '../ui/class-names.ts'

const LOOK = 'rounded-sm hover:underline'

export const ExecutionLink = ({ id, className }: { readonly id: string; readonly className?: string }) => (
  <Link to="/executions/$id" params={{ id }} className={classNames(LOOK, 'font-mono text-xs', className)}>
    {id}
  </Link>
)

export const ProgramLink = ({ id, className }: { readonly id: string; readonly className?: string }) => (
  <Link to="/programs/$id" params={{ id }} className={classNames(LOOK, className)}>
    {id}
  </Link>
)
