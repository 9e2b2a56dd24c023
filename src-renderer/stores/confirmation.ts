// Asks before an action that cannot be undone.

import { create } from 'zustand'

export type Question = {
  readonly title: string
  readonly text: string
  /** The label of the confirm button. */
  readonly action: string
  readonly danger?: boolean
  /** The text that the user must type first. */
  readonly typed?: string
  /** Counts again. Called each second, so that the question says what an answer would do now. */
  readonly recount?: () => Promise<Counted>
}

/** What of a question holds a count. */
export type Counted = Pick<Question, 'title' | 'action'>

export type Asked = Question & { readonly answer: (yes: boolean) => void }

export const useConfirmation = create<{ readonly asked: Asked | null }>()(() => ({ asked: null }))

/** Resolves with whether the user confirmed. A second question cancels the first. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    useConfirmation.getState().asked?.answer(false)
    const answer = (yes: boolean) => {
      useConfirmation.setState({ asked: null })
      resolve(yes)
    }
    useConfirmation.setState({ asked: { ...question, answer } })
  })

/** Answers no to the open question, if there is one. */
export const dismissQuestion = (): void => useConfirmation.getState().asked?.answer(false)
