// Corrects an Execution's address that names another project, so that links on its screen and a copied address lead to
// the right one.

import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { executionQuery } from '../api/queries.ts'
import { projectIdOf, useScope } from '../api/scope.ts'

export const ExecutionPlace = ({ id, children }: { readonly id: string; readonly children: ReactNode }) => {
  const scope = useScope()
  const { data: project } = useQuery({ ...executionQuery(scope, id), select: ({ projectId }) => projectId })
  const projectId = project === undefined ? undefined : projectIdOf(project, scope.connection)
  const isElsewhere = projectId !== undefined && projectId !== scope.projectId
  return (
    <>
      {isElsewhere && (
        <Navigate
          to="."
          params={(before) => ({ ...before, project: projectId ?? 'default' })}
          search={true}
          hash={true}
          replace
        />
      )}
      {children}
    </>
  )
}
