// A question asked before something that cannot be undone.

import { create } from 'zustand'

export type Question = {
  readonly title: string
  readonly text: string
  /** The label of the button that agrees. */
  readonly action: string
  readonly danger?: boolean
  /** The text that must be typed first. */
  readonly typed?: string
}

export type Asked = Question & { readonly answer: (yes: boolean) => void }

export const useConfirmation = create<{ readonly asked: Asked | null }>()(() => ({ asked: null }))

/** Resolves with whether the person agreed. A second question answers the first with no. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    useConfirmation.getState().asked?.answer(false)
    const answer = (yes: boolean) => {
      useConfirmation.setState({ asked: null })
      resolve(yes)
    }
    useConfirmation.setState({ asked: { ...question, answer } })
  })
