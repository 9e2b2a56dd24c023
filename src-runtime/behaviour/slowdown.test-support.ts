// Measures how much longer computing takes because of other processes. Limits of time are multiplied by it, so that they
// hold on a busy machine too.

import { Worker } from 'node:worker_threads'

/** 50 ms in every 100: longer pauses would give it more than its share afterwards. */
const COMPUTE = `
const { parentPort } = require('node:worker_threads')
let elapsedMs = 0, cpuMs = 0
const compute = () => {
  const startedAt = performance.now(), before = process.threadCpuUsage()
  while (performance.now() - startedAt < 50);
  const { user, system } = process.threadCpuUsage(before)
  elapsedMs += performance.now() - startedAt
  cpuMs += (user + system) / 1000
}
compute()
setInterval(compute, 100)
parentPort.once('message', () => parentPort.postMessage(elapsedMs / cpuMs))`

/** Answers how many times longer computing took while `act` ran than it would have on an idle machine; at least 1. */
export const slowdownDuring = async (act: () => Promise<void>): Promise<number> => {
  const worker = new Worker(COMPUTE, { eval: true })
  try {
    await act()
    worker.postMessage('stop')
    return await new Promise((resolve, reject) => {
      worker.once('message', (slowdown: number) => resolve(Math.max(1, slowdown)))
      worker.once('error', reject)
    })
  } finally {
    await worker.terminate()
  }
}
