/** How much processor time this process has used, in ms. It stands still while other processes have the processor. */
export const processorMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
