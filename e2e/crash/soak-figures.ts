// What the soak tests measure each minute, and whether it stayed flat.

import { readdirSync, readFileSync } from 'node:fs'

/** Allowed growth from the middle third of the samples to the last third. */
export type Bound = { readonly factor: number; readonly plus: number }

export type Figures = Readonly<Record<string, number>>

export const MB = 1024 * 1024

export const tenth = (value: number): number => Math.round(value * 10) / 10

/** Of these processes together. One that has ended meanwhile has none. */
export const residentMb = (pids: readonly number[]): number =>
  Math.round(pids.reduce((sum, pid) => sum + residentKb(pid), 0) / 1_024)

const residentKb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** The figures that did not stay flat. The first third is for warming up. */
export const rises = (samples: readonly Figures[], bounds: Readonly<Record<string, Bound>>): readonly string[] => {
  const third = Math.floor(samples.length / 3)
  const middle = samples.slice(third, samples.length - third)
  const last = samples.slice(samples.length - Math.max(third, 1))
  return Object.entries(bounds).flatMap(([name, { factor, plus }]) => {
    const [was, is] = [mean(middle, name), mean(last, name)]
    return is <= was * factor + plus ? [] : [`${name} rose from ${tenth(was)} to ${tenth(is)}`]
  })
}

const mean = (samples: readonly Figures[], name: string): number =>
  samples.reduce((sum, one) => sum + (one[name] ?? 0), 0) / samples.length
