// What is built from what. Nothing here runs from its build alone but the dashboard, the published client and the
// desktop app: `wes` runs the sources, or a bundle that it keeps fresh by itself.

export type TargetName = 'sdk' | 'dashboard' | 'desktop'

export type Target = {
  /** As people know it. */
  readonly title: string
  /** Patterns of files whose change makes the build stale. */
  readonly inputs: readonly string[]
  /** Without it nothing was built. */
  readonly output: string
  /** Arguments of Node. */
  readonly command: readonly string[]
}

/** Versions of the packages that go into a build, and of the tools that make it. */
const PACKAGES = 'package-lock.json'
const SDK_INPUTS = [
  'src-sdk/**/*.ts',
  'src-runtime/{engine,shared}/*.ts',
  'src-sdk/tsconfig.build.json',
  'tsconfig.base.json',
  PACKAGES,
]
const VITE_INPUTS = [
  'electron.vite.config.ts',
  'scripts/runtime-files.ts',
  'scripts/build/build-with-vite.ts',
  PACKAGES,
]

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  sdk: {
    title: 'the client',
    inputs: SDK_INPUTS,
    output: 'src-sdk/dist/src-sdk/index.js',
    command: ['node_modules/typescript/bin/tsc', '-p', 'src-sdk/tsconfig.build.json'],
  },
  dashboard: {
    title: 'the dashboard',
    inputs: ['src-renderer/**/*.*', 'src-sdk/**/*.ts', 'src-main/preload/**/*.ts', 'resources/**/*.*', ...VITE_INPUTS],
    output: 'out/renderer/index.html',
    command: ['scripts/build/build-with-vite.ts', 'renderer'],
  },
  // Carries the client's build, so that comes before it.
  desktop: {
    title: 'the desktop app',
    inputs: ['src-{main,runtime}/**/*.*', 'resources/**/*.*', ...SDK_INPUTS, ...VITE_INPUTS],
    output: 'out/main/src-main/main.js',
    command: ['scripts/build/build-with-vite.ts', 'main', 'preload'],
  },
}

/** No part of any build. */
export const TEST_FILE = /\.(test|spec|test-support)\.[a-z]+$/
