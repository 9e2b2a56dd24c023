// Waits for something, but not for long.

/** `undefined`: it takes longer. What runs goes on. */
export const within = async <Result>(ms: number, running: Promise<Result>): Promise<Result | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
