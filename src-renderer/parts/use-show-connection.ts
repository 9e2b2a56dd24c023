import { useNavigate } from '@tanstack/react-router'
import { OWN } from '../api/connection.ts'
import { paths } from '../paths.ts'
import { rememberedProject } from '../stores/preferences.ts'
import { useSharedScreen } from './use-show-project.ts'

/** Shows another connection, with the project that it showed last, on the same screen where it has that screen too. */
export const useShowConnection = (): ((id: string) => Promise<void>) => {
  const navigate = useNavigate()
  const screenOf = useSharedScreen()
  return (connection) => {
    const params = { connection, project: rememberedProject(connection) }
    const screen = screenOf(connection === OWN.id ? OWN.kind : 'hosted')
    return navigate({ ...(screen ?? paths.project(params.project)), params })
  }
}

export const useShowLocal = (): (() => void) => {
  const show = useShowConnection()
  return () => void show(OWN.id)
}
