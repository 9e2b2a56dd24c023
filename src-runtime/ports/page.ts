export type Page<Item> = { readonly items: readonly Item[]; readonly more: boolean }
