// Texts and classes shared by the palette and the field that takes its place while it loads.

export const PALETTE_CLASSES =
  'fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-160 max-w-[94vw] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float'
export const PALETTE_INPUT_CLASSES = 'h-11 flex-1 bg-transparent text-base outline-none placeholder:text-faint'
export const PALETTE_FIELD = {
  'aria-label': 'Search everything',
  placeholder: 'Search Executions by id or error, Programs, screens and actions',
  spellCheck: false,
} as const
