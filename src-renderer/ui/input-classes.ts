/** The classes of every text field. */
export const inputClasses =
  'h-7 pointer-coarse:min-h-9 rounded-md border border-edge bg-page px-2 text-ink placeholder:text-faint data-invalid:border-danger'
