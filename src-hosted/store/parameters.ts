/** `$1, $2, …` */
export const parameters = (count: number): string => Array.from({ length: count }, (_, n) => `$${n + 1}`).join(', ')
