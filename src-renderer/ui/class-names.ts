/** Joins the classes that apply. */
export const classNames = (...classes: readonly (string | false | undefined | null)[]): string =>
  classes.filter(Boolean).join(' ')
