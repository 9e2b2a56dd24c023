// Asks before what changes data on a hosted service. On production, the user types the connection's name.

import { type Connection, serviceName, useConnection } from '../api/connection.ts'
import { confirm, type Question } from '../stores/confirmation.ts'
import { useIsShown } from './use-is-shown.ts'

/** Names the connection in the question, so that nobody answers for another one. */
export const questionOn = (question: Question, connection: Connection): Question => {
  const { kind, name, workspace, isProduction } = connection
  const service = serviceName(connection)
  if (kind === 'local' || service === undefined) return question
  const place =
    service === workspace
      ? `the workspace “${workspace}”`
      : `${service}${workspace === undefined ? '' : `, workspace ${workspace}`}`
  return {
    ...question,
    text: `${question.text} This is ${isProduction ? 'production: ' : ''}${place}.`,
    ...(isProduction && { typed: name }),
  }
}

/**
 * Always asks. For what cannot be undone anywhere: cancelling, deleting, bulks. Answers no if the user has left the screen, as
 * while it was counted.
 */
export const useConfirm = (): ((question: Question) => Promise<boolean>) => {
  const connection = useConnection()
  const isShown = useIsShown()
  return async (question) => isShown() && confirm(questionOn(question, connection))
}

/** Asks on a hosted connection only; true at once on local. Counts belong into the question's text and action. */
export const useConfirmOnHosted = (): ((question: Question) => Promise<boolean>) => {
  const connection = useConnection()
  return (question) => (connection.kind === 'local' ? Promise.resolve(true) : confirm(questionOn(question, connection)))
}
