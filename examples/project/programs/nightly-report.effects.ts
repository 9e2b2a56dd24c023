/** Reads the sales of a shop. Stands for a slow query. */
export async function readSales(input: { shop: number; night: number }): Promise<{ cents: number }> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return { cents: input.shop * 100 + input.night }
}

export async function sendReport(input: { night: number; totalCents: number }): Promise<void> {
  console.log(`night ${input.night}: ${input.totalCents} cents`)
}
